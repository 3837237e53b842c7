// A service answers MCP requests on behalf of a caller: handlers in this process, a process behind a pipe, a host
// behind a socket. Parameters and results are opaque: unknown members pass through unchanged. Members of `_meta` about
// a single connection (the envelope of 2026-07-28, the progress token) pass too; a service that forwards a request
// replaces them.

import type { CancelSignal } from '../base/cancel-signal.ts';
import type { JsonRpcRequest, RequestId } from '../wire/jsonrpc/message.ts';
import type { CallLimits } from './meta.ts';
import { missingCapability } from './protocol-errors.ts';
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

/** One client among all clients of this process. */
export interface ClientIdentity {
  /**
   * An id that is equal only for requests that are certainly from one client: those of a connection or of a session.
   */
  readonly id: string;
  /** The principal that the gateway verified. Undefined if the gateway verifies nothing. */
  readonly principal: string | undefined;
  /**
   * If each client has its own process, requests with the same affinity use the same process: `id`, or a value that
   * outlives it.
   */
  readonly affinity: string;
  /** Whether another host, which passes the client's messages, limits how fast it sends notifications. */
  readonly isPaced?: boolean;
}

let lastClient = 0;

/** Creates a new client identity. */
export function newClient(principal?: string, affinity?: string): ClientIdentity {
  const id = String(++lastClient);
  return { id, principal, affinity: affinity ?? id };
}

/** The client of a request, as it described itself. */
export interface ClientFacts {
  readonly identity: ClientIdentity;
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly info: Implementation | undefined;
  /** The least severe level of log messages that the client wants; undefined if it wants none. */
  readonly logLevel: LogLevel | undefined;
}

/** Names the connection to one process of a server, for observers. */
export interface WireName {
  readonly server: string;
  /** The number of the process run, from 1. */
  readonly life: number;
}

/** One request from one client, with everything that is needed to reach that client again. */
export interface Caller {
  readonly client: ClientFacts;
  /**
   * The message that the result will answer. After a question of 2026-07-28 it is the message that brought the answer.
   * Absent for a caller in this process.
   */
  readonly request?: JsonRpcRequest | undefined;
  /** The approximate size of the request. Absent for a caller in this process. */
  readonly requestBytes?: number | undefined;
  /** 2026-07-28: a question is part of the result of its request, so other requests from the client cannot carry it. */
  readonly asksInResult?: boolean | undefined;
  /** Aborts when the client cancels the request or disconnects. Undefined if the request is never cancelled. */
  readonly signal: CancelSignal | undefined;
  /** If absent, the limits of the service apply. */
  readonly options?: CallLimits | undefined;
  /** Whether the client requested progress. */
  readonly wantsProgress: boolean;
  /** Progress of the request is still wanted after its answer, until this signal aborts: the answer may name work that goes on. */
  readonly progressUntil?: CancelSignal | undefined;
  /** Takes the parameters of `notifications/progress`; the caller fills in its token. */
  progress(params: Params): void;
  /** The work of the request goes on after its answer, and so may its progress. */
  continues?(): void;
  /** Takes the parameters of `notifications/message`. */
  log(params: Params): void;
  /**
   * Asks this client a question: elicitation, sampling or roots. `name` is the key of the question, if it has one.
   * `signal` aborts when the service no longer waits for the answer.
   */
  ask(question: InputRequest, name?: string, signal?: AbortSignal): Promise<InputResponse>;
  /** The service keeps this many bytes beside the request while its questions wait, until the next call of this function. */
  keeps?(bytes: number): void;
  /** Links the request to those that it causes, for observers. Undefined if there are none. */
  readonly link?: RequestLink | undefined;
}

/** Observer hooks: name the requests that are made because of a request of a client. Valid as long as the work for that request takes. */
export interface RequestLink {
  /** A request with this id is sent to a server on behalf of the request. */
  sent(wire: WireName, id: RequestId): void;
  /** That server sends its client a question with this id. */
  askedBy(id: RequestId): void;
}

/** The caller of a request that this process makes itself. Its progress and logs are discarded, and its questions are refused. */
export function silentCaller(client: ClientFacts, signal?: CancelSignal): Caller {
  return {
    client,
    signal,
    wantsProgress: false,
    progress: () => undefined,
    log: () => undefined,
    ask: () => Promise.reject(missingCapability({})),
  };
}

/** The notifications that a watcher wants: those of `subscriptions/listen`, and more. */
export interface WatchFilter extends SubscriptionFilter {
  /** The least severe level of log messages that are unrelated to a request. */
  logs?: LogLevel;
  /**
   * Whether the client chose that level: a server with one level for all clients is set to the most verbose level that
   * was chosen.
   */
  choosesLogs?: boolean;
  /** Whether notifications that MCP does not define are wanted. */
  others?: boolean;
  /** 2026-07-28: members of the filter that MCP does not define. */
  further?: Readonly<Record<string, unknown>>;
}

export interface Watcher {
  readonly filter: WatchFilter;
  /** The watching client. Undefined for the program itself. */
  readonly client?: ClientFacts | undefined;
  /** Called with a notification that the filter includes. */
  notified(method: string, params: Params | undefined): void;
  /** Called before the watch is active, with the `further` members that the service agreed to. */
  accepted?(further: Readonly<Record<string, unknown>>): void;
  /** Called when no more notifications will arrive although the watch was not stopped. */
  ended?(): void;
  /** Runs each request that the watch sends, if its turn depends on the watching client. */
  turn?<T>(send: () => Promise<T>): Promise<T>;
}

export interface Service {
  /** Waits until the service is available. `client` is the client that asks, if known. */
  describe(client?: ClientFacts): ServiceFacts | Promise<ServiceFacts>;
  /** Returns a synchronous result without a promise, which keeps the path of a call free of unnecessary promises. */
  request(method: string, params: Params, caller: Caller): Result | Promise<Result>;
  /**
   * A promise means that too many notifications of this client wait: it was accepted, and no further one should be read from the
   * client until the promise has resolved. It never rejects.
   */
  notify(method: string, params: Params | undefined, client: ClientFacts): void | Promise<void>;
  /** Resolves once the watch is active, with a function that stops it and never fails. */
  watch(watcher: Watcher): Promise<() => void>;
  /** The connection that the requests of the service use, for observers, if its owner has named it. */
  wire?: WireName | undefined;
  /** Call this when the connection or session of a client has ended: it sends no more requests. */
  gone?(client: ClientIdentity): void;
  /**
   * Finds a tool by the name that a client uses, without a promise if its list is known. Contacts no more servers than a
   * call of the tool does. Undefined if the tool cannot be found; a call then reports why.
   */
  tool?(name: string, client: ClientFacts): Tool | undefined | Promise<Tool | undefined>;
  /** All tools that may be used, from a list that is kept up to date: the server is asked once per change. */
  tools?(client: ClientFacts): readonly Tool[] | Promise<readonly Tool[]>;
  /** The definition of a tool as this client gets it. Absent: every client gets the same. */
  toolFor?(tool: Tool, client: ClientFacts): Tool;
  /** The same service, limited to the permitted servers and tools. Present only in a service of several servers. */
  restrictedTo?(rights: Rights): Service;
}
