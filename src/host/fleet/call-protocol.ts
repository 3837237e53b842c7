// The messages between a calling node and the instance that answers. A request is published at the subject of the instance; its
// `reply` subject identifies the call and receives the notifications and the answer. Most messages are plain JSON-RPC, which begins
// with `{`. All others begin with one of the prefixes below.

import type { Revision } from '../../mcp/revisions.ts';
import type { SubscriptionFilter } from '../../mcp/types.ts';
import type { LogsFilter } from '../../mcp/watchers.ts';

/** Prefixes of messages to an instance. A message without a prefix is a JSON-RPC request. */
export const toInstance = {
  /** `traced {…}`: a request whose answer is preceded by `hops`. */
  traced: 'traced ',
  /** `cancel <reply subject>`: cancels the call. */
  cancel: 'cancel ',
  /** `gone <client>`: a client of the calling node has disconnected. The id is that of its requests; `reply` names the node. */
  gone: 'gone ',
} as const;

/** Prefixes of messages to the reply subject of a call. A message without a prefix is a JSON-RPC notification, or the answer. */
export const toCaller = {
  /** `refused <reason> <text>`: the request has not run and will not run. */
  refused: 'refused ',
  /** `hops {…}`: a `Hops` object, sent before the answer of a traced request. */
  hops: 'hops ',
} as const;

/** `part <message> <index> <count> <bytes of the whole>\n…`: one part of a chunked message, in either direction (`parts.ts`). */
export const PART = 'part ';

/** `moved`: the instance has ended or lost its lease. `busy`: it has reached a limit. `old`: the number of the call is too low. */
export type CallRefusal = 'moved' | 'busy' | 'old';

/** Times are milliseconds of the answering node's wall clock. */
export interface Hops {
  node: string;
  generation: number | undefined;
  /** The server's process: its pid, and the number of its process run. */
  pid: number | null;
  life: number | undefined;
  receivedMs: number;
  answeredMs: number;
}

/**
 * Key in `_meta` of a request: its client, as the calling node identifies it. Absent for requests of the node's host
 * itself.
 */
export const CALLER = 'dev.standpipe/caller';

export interface CallerRecord {
  id: string;
  principal?: string | undefined;
  affinity: string;
  /** The revision that the client uses, which decides how it gets log messages. The request itself is one of 2026-07-28. */
  revision?: Revision | undefined;
}

/**
 * Member of the filter of `subscriptions/listen`: log messages unrelated to a request, which exist only in revisions
 * before 2026-07-28.
 */
export const LOGS = 'dev.standpipe/logs';

export interface NodeFilter extends SubscriptionFilter {
  /**
   * Filter members that MCP does not define. Used only for instances on this node: in a message to another node, they
   * are members of the filter itself.
   */
  further?: Readonly<Record<string, unknown>>;
  [LOGS]?: LogsFilter;
}

/** State of a call, reported by the answering node to a node that waits for the answer. */
export type CallState =
  | 'running'
  /** The answer was sent, and is being sent again. */
  | 'answered'
  /** The answer was sent and is no longer kept. */
  | 'forgotten'
  /** The request never arrived. If it still does, it is refused. */
  | 'unknown';

/** Wall-clock time in fractions of a millisecond. It advances evenly from the start of the process, so that differences are exact. */
export function wallMs(): number {
  return performance.timeOrigin + performance.now();
}
