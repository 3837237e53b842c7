// Which caller a message of the server belongs to that names no request: a question of a legacy server, a log message of a
// modern one. The caller is known if the requests that it can belong to are all of one client; otherwise nobody is guessed.

import type { Peer } from '../../jsonrpc/peer.ts';
import type { Caller } from '../service.ts';
import { SentRequest } from './session.ts';

export function onlyCaller(peer: Peer, canBe: (caller: Caller, method: string) => boolean): Caller | undefined {
  let only: Caller | undefined;
  for (const { method, options } of peer.requests) {
    if (!(options instanceof SentRequest) || !canBe(options.caller, method)) continue;
    if (only && only.client !== options.caller.client) return undefined;
    only ??= options.caller;
  }
  return only;
}
