// The messages between a node that calls and the instance that answers. A request is published at the subject of the instance; its
// `reply` subject identifies the call, and gets the notifications and the answer of it. Most messages are nothing but JSON-RPC,
// which begins with `{`. All others begin with a word of their own.

/** To an instance. Without a word: a JSON-RPC request. */
export const toInstance = {
  /** `traced {…}`: a request before whose answer `hops` are wanted. */
  traced: 'traced ',
  /** `cancel <reply subject>`: the call is cancelled. */
  cancel: 'cancel ',
  /** `gone <client>`: a client of the calling node has ended, by its id as the requests had it. The `reply` subject names the node. */
  gone: 'gone ',
} as const;

/** To the reply subject of a call. Without a word: a JSON-RPC notification, or the answer. */
export const toCaller = {
  /** `refused <reason> <text>`: the request was not run, and will not be. */
  refused: 'refused ',
  /** `hops {…}`: `Hops`, before the answer of a traced request. */
  hops: 'hops ',
} as const;

/** Both ways: `part <message> <index> <count> <bytes of the whole>\n…`: one of the parts of a message that is too long for one (`parts.ts`). */
export const PART = 'part ';

/** `moved`: the instance has ended, ends, or has lost its lease. `busy`: it has as many requests as it may have. */
export type Refusal = 'moved' | 'busy';

/** Milliseconds of the wall clock of the answering node. */
export interface Hops {
  node: string;
  generation: number | undefined;
  /** The process of the server: its pid, and which of its processes it is. */
  pid: number | null;
  life: number | undefined;
  receivedMs: number;
  answeredMs: number;
}

export { CALLER, type CallerRecord } from '../mcp/meta.ts';

/** What the answering node says about a call that has had no answer for a time. */
export type CallState =
  /** It runs. */
  | 'running'
  /** Its answer was sent, and is sent again now. */
  | 'answered'
  /** Its answer was sent and is not kept any more. */
  | 'forgotten'
  /** It never arrived. If it still does, it is refused. */
  | 'unknown';
