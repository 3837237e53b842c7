// The types of the routes that exercise a server (exercise-routes.ts).

import type { LogLevel, Root } from '../../mcp/types.ts';

/**
 * `GET /api/calls/ID/frames`, `GET /api/exchanges/SEQ/frames`: the events of a call, oldest first: its requests, questions, progress, log
 * messages, stderr output and answers.
 */
export interface FramesReport {
  seqs: number[];
  /** Number of older events that were left out. */
  omitted: number;
  /** Number of other requests that the same process handled at the same time: output may belong to them. */
  others: number;
}

/** `POST /api/servers/NAME/complete`: `{ "ref", "argument": { "name", "value" }, "context"? }`. At most 100 values. */
export interface CompletionReport {
  values: string[];
  total?: number | undefined;
  hasMore?: boolean | undefined;
}

/** `POST /api/servers/NAME/ping` */
export interface PingReport {
  ms: number;
}

/** `GET /api/roots`; `POST /api/roots` with `{ "roots" }` replaces them and tells the servers. */
export interface RootsReport {
  roots: Root[];
  /** False if the servers get their roots from another program. */
  canEdit: boolean;
}

/**
 * `POST /api/servers/NAME/subscriptions` with `{ "uri" }`, `GET /api/subscriptions`, `DELETE /api/subscriptions/ID`. Changes are sent as
 * `subscription`.
 */
export interface Subscription {
  id: string;
  server: string;
  uri: string;
  state: 'starting' | 'active' | 'ended' | 'stopped';
  /** Why it has ended without being stopped. */
  ended?: 'server' | 'connection';
  /** Number of all updates, and the newest 100. */
  count: number;
  updates: { atMs: number; uri: string }[];
}

/** `GET /api/logs?server=NAME&level=LEVEL&search=TEXT`: the newest 2,000 log messages with this level or a more severe one. */
export interface LogPage {
  messages: {
    seq: number;
    atMs: number;
    server: string;
    life: number;
    level: LogLevel;
    logger: string | undefined;
    /** The data as text: a string as it is, other data as JSON. */
    data: string;
  }[];
  dropped: boolean;
}
