// What a peer makes of the faults and the odd words of the other end.

import { PeerError, UsageError } from '../base/errors.ts';
import { firstChars } from '../base/first-chars.ts';
import type { JsonRpcResponse } from './message.ts';

export function unexpectedAnswer(message: JsonRpcResponse): PeerError {
  const what = 'error' in message && message.error ? `error "${message.error.message}"` : 'result';
  const id =
    message.id === undefined || message.id === null ? 'without an id' : `with id ${JSON.stringify(message.id)}`;
  return new PeerError('MESSAGE_INVALID', `An answer (${what}) ${id} matches no pending request`);
}

/** The message cannot be written down, or not in this framing. */
export function isUnwritable(error: unknown): error is UsageError {
  return error instanceof UsageError && error.code !== 'TRANSPORT_CLOSED';
}

/** The other end may write anything there. */
export function cancelReason(reason: unknown): string {
  return typeof reason === 'string' ? firstChars(reason, 1000) : 'cancelled by the other end';
}
