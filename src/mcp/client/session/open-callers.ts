// Finds the caller of a log message, which does not name a request. The caller is known only if all pending requests
// that the message may belong to are from one client.

import type { Peer } from '../../../wire/jsonrpc/peer.ts';
import type { Caller } from '../../service.ts';
import { SentRequest } from './session.ts';

/** Returns undefined if the message cannot belong to a pending request. */
export function onlyCaller(
  peer: Peer,
  canBe: (caller: Caller, method: string) => boolean,
): Caller | 'several' | undefined {
  let only: Caller | undefined;
  for (const { method, options } of peer.requests) {
    if (!(options instanceof SentRequest) || !canBe(options.caller, method)) continue;
    if (only && only.client.identity.id !== options.caller.client.identity.id) return 'several';
    only ??= options.caller;
  }
  return only;
}
