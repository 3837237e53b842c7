// Errors of requests that were not answered.

import { type Evidence, PeerError } from '../../base/errors.ts';

interface ConnectionEnding {
  closedByUs: boolean;
  cause: Error | undefined;
  evidence: Evidence | undefined;
}

export function lostRequest(method: string, { closedByUs, cause, evidence }: ConnectionEnding): PeerError {
  if (closedByUs) {
    return new PeerError('CONNECTION_CLOSED', `Closed by this side while ${method} was waiting`, { cause, evidence });
  }
  const why = cause?.message ?? 'The connection closed';
  return new PeerError('OUTCOME_UNKNOWN', `${why} — ${method} had been sent and may have run`, {
    cause,
    evidence,
    hint: 'Check whether it took effect before you send it again.',
  });
}

const silences: ReadonlySet<string> = new Set(['REQUEST_TIMEOUT', 'NOT_SENT', 'OUTCOME_UNKNOWN', 'CONNECTION_CLOSED']);

/**
 * Whether a request failed because it was not answered. An error from the other end, or an unreadable answer, counts as
 * an answer.
 */
export function isSilence(error: unknown): error is PeerError {
  return error instanceof PeerError && silences.has(error.code);
}
