// What a server wrote to stderr while a call ran that failed: mostly the reason. It may be of another call of the same time.

import { StandpipeError } from '../../base/errors.ts';
import type { HostAccess } from '../../host/host-access.ts';

/** To be called before the call is sent. What cannot be had is left out: the failure itself is what counts. */
export function stderrOfCall(host: HostAccess, server: string): () => Promise<string> {
  const before = host.status().catch(() => undefined);
  return async () => {
    const since = (await before)?.lastSeq;
    if (since === undefined) return '';
    return host.control('standpipe/logs', { server, since }).then(
      ({ text }) => text,
      () => '',
    );
  };
}

/** Throws the error, with stderr in its evidence unless that has some. */
export function withStderr(error: unknown, stderrTail: string): never {
  if (error instanceof StandpipeError && stderrTail !== '' && !error.evidence?.stderrTail) {
    Object.assign(error, { evidence: { phase: 'running', ...error.evidence, stderrTail } });
  }
  throw error;
}
