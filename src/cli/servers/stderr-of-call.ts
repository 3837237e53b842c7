// What a server wrote to stderr while a call ran that failed: mostly the reason. It may be of another call of the same time.

import { StandpipeError } from '../../base/errors.ts';
import type { HostApi } from '../../host/host-api.ts';

/** To be called before the call is sent. What cannot be had is left out: the failure itself is what counts. */
export function stderrOfCall(host: HostApi, server: string): () => Promise<string> {
  const before = Promise.resolve(host.about()).catch(() => undefined);
  return async () => {
    const about = await before;
    return about === undefined ? '' : host.stderrSince(server, about.lastSeq).catch(() => '');
  };
}

/** Throws the error, with stderr in its evidence unless that has some. */
export function withStderr(error: unknown, stderrTail: string): never {
  if (error instanceof StandpipeError && stderrTail !== '' && !error.evidence?.stderrTail) {
    Object.assign(error, { evidence: { phase: 'running', ...error.evidence, stderrTail } });
  }
  throw error;
}
