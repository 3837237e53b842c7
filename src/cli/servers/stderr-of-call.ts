// The stderr of a server during a failed call, which often shows the reason. It may belong to another call at the same time.

import { StandpipeError } from '../../base/errors.ts';
import type { HostAccess } from '../../host/control/host-access.ts';

/** Must be called before the call is sent. If stderr is not available, the error is unchanged. */
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

/** Throws the error, with stderr added to its evidence unless it has some, and with the hint for both texts if there is one. */
export function withStderr(
  error: unknown,
  stderrTail: string,
  hintFor: (text: string) => string | undefined = () => undefined,
): never {
  const hint = error instanceof StandpipeError ? hintFor(`${stderrTail}\n${error.message}`) : undefined;
  if (hint !== undefined) Object.assign(error as StandpipeError, { hint });
  if (error instanceof StandpipeError && stderrTail !== '' && !error.evidence?.stderrTail) {
    Object.assign(error, { evidence: { phase: 'running', ...error.evidence, stderrTail } });
  }
  throw error;
}
