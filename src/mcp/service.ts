// A service answers MCP requests on behalf of a caller: handlers in this process, a process behind a pipe, a host behind a
// socket. Parameters and results are opaque: unknown members pass through unchanged. What `_meta` says about one connection
// alone (the envelope of 2026-07-28, the progress token) passes too; a service that sends a request on writes its own.

import type { CancelSignal } from '../base/cancel-signal.ts';
import type { JsonRpcRequest, RequestId } from '../jsonrpc/message.ts';
import type { CallOptions } from './meta.ts';
import type { Revision } from './revisions.ts';
import type { Rights } from './rights.ts';
import type {
  ClientCapabilities,
  Implementation,
  InputRequest,
  InputResponse,
  LogLevel,
  ServerCapabilities,
  SubscriptionFilter,
  Tool,
} from './types.ts';

export type Params = Record<string, unknown>;
export type Result = Record<string, unknown>;

export interface ServiceFacts {
  info: Implementation;
  capabilities: ServerCapabilities;
  instructions?: string | undefined;
}

/** One client among all those of this process. */
export interface ClientIdentity {
  /** Equal only for requests that are certainly of one client: those of a connection or of a session. */
  readonly id: string;
  /** Who is behind it, as its door has verified. Undefined where the door verifies nothing. */
  readonly principal: string | undefined;
  /** Requests with the same one use the same process where each client has its own: `id`, or something that outlives it. */
  readonly affinity: string;
}

let lastClient = 0;

/** A client that no request was of so far. */
export function newClient(principal?: string, affinity?: string): ClientIdentity {
  const id = String(++lastClient);
  return { id, principal, affinity: affinity ?? id };
}

/** The client that a request came from, as it presented itself. */
export interface ClientFacts {
  readonly identity: ClientIdentity;
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly info: Implementation | undefined;
  /** The least level of log messages that the client wants; undefined if it wants none. */
  readonly logLevel: LogLevel | undefined;
  /** It gets log messages of legacy servers by a watch, and not with its requests: a client of a legacy revision at another node. */
  readonly watchesLogs?: boolean | undefined;
}

/** The connection to one process of a server, as observers name it. */
export interface WireName {
  readonly server: string;
  /** Which process of the server, from 1. */
  readonly life: number;
}

/** One request of one client. Everything that has to find its way back to that client travels with it. */
export interface Caller {
  readonly client: ClientFacts;
  /**
   * The message that the result will answer. After a question of 2026-07-28 it is the one that brought the answer. Absent
   * for a caller in this process.
   */
  readonly request?: JsonRpcRequest | undefined;
  /** About how long the request was. Absent for a caller in this process. */
  readonly requestBytes?: number | undefined;
  /** 2026-07-28: a question is part of the result of its own request, so that no other request of the client can carry it. */
  readonly asksInResult?: boolean | undefined;
  /** Aborts when the client cancels the request or goes away. Undefined: the request is never cancelled. */
  readonly signal: CancelSignal | undefined;
  /** The limits of the service apply where this is absent. */
  readonly options?: CallOptions | undefined;
  /** Whether the client asked for progress. */
  readonly wantsProgress: boolean;
  /** The parameters of `notifications/progress`; the token is the caller's own and is filled in. */
  progress(params: Params): void;
  /** The parameters of `notifications/message`. */
  log(params: Params): void;
  /**
   * Elicitation, sampling or roots: asked of this client and of no other. `name` is the key of the question, if it has one.
   * `signal` aborts when the service no longer waits for the answer.
   */
  ask(question: InputRequest, name?: string, signal?: AbortSignal): Promise<InputResponse>;
  /** For observers: a request with this id is sent to a server on behalf of this one. */
  sent?(wire: WireName, id: RequestId): void;
  /** For observers: that server asks the client, by a request with this id. */
  askedBy?(id: RequestId): void;
}

/** The notifications that a watcher asks for: those of `subscriptions/listen`, and more. */
export interface WatchFilter extends SubscriptionFilter {
  /** The least level of log messages that belong to no request. */
  logs?: LogLevel;
  /** The client chose that level: a server that has one level for all clients is set to it if none chose a more verbose one. */
  choosesLogs?: boolean;
  /** Notifications that MCP does not define. */
  others?: boolean;
}

export interface Watcher {
  readonly filter: WatchFilter;
  /** The client that watches. Undefined: the program itself. */
  readonly client?: ClientFacts | undefined;
  /** A notification that the filter names. */
  notified(method: string, params: Params | undefined): void;
  /** No more notifications will come, although the watch was not stopped. */
  ended?(): void;
}

export interface Service {
  /** Waits until the service is there. `client`: who asks, where it is known. */
  describe(client?: ClientFacts): ServiceFacts | Promise<ServiceFacts>;
  /** A service that has the result at once returns it at once: the path of a call makes no promise that it does not need. */
  request(method: string, params: Params, caller: Caller): Result | Promise<Result>;
  notify(method: string, params: Params | undefined, client: ClientFacts): void;
  /** Resolves, once notifications will come, to a function that stops them. That one never fails. */
  watch(watcher: Watcher): Promise<() => void>;
  /** For observers: the connection that its requests go over, where its owner has named it. */
  wire?: WireName | undefined;
  /** The connection or session of a client is over: it sends no more requests. */
  gone?(client: ClientIdentity): void;
  /** Of several servers as one: a tool by its name. No more servers are asked than by a call of it. */
  tool?(name: string): Tool | undefined | Promise<Tool | undefined>;
  /** Of several servers as one: the same of those servers and tools alone that may be used. */
  restrictedTo?(rights: Rights): Service;
}
