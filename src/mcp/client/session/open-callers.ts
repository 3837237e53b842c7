// The caller of a log message, which names no request. It is known only if all pending requests that the message may belong to
// are of one client.

import type { Peer } from '../../../jsonrpc/peer.ts';
import type { Caller } from '../../service.ts';
import { SentRequest } from './session.ts';

/** Undefined: no request that is pending can be meant. */
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
