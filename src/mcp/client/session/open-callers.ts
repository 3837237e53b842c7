// The caller of a log message of a modern server, which names no request. It is known only if all pending requests that the
// message may belong to are of one client.

import type { Peer } from '../../../jsonrpc/peer.ts';
import type { Caller } from '../../service.ts';
import { SentRequest } from './session.ts';

export function onlyCaller(peer: Peer, canBe: (caller: Caller, method: string) => boolean): Caller | undefined {
  let only: Caller | undefined;
  for (const { method, options } of peer.requests) {
    if (!(options instanceof SentRequest) || !canBe(options.caller, method)) continue;
    if (only && only.client.identity.id !== options.caller.client.identity.id) return undefined;
    only ??= options.caller;
  }
  return only;
}
