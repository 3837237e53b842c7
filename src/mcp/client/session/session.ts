// A server that speaks MCP over a connection of ours, as a service. The era decides how requests travel and how the server is
// asked for notifications; what both eras share is here.

import type { CancelSignal } from '../../../base/cancel-signal.ts';
import { PeerError, toError } from '../../../base/errors.ts';
import type { SharedMembers } from '../../../jsonrpc/message-text.ts';
import type { RequestOptions } from '../../../jsonrpc/outbound.ts';
import type { Peer } from '../../../jsonrpc/peer.ts';
import type { Era, Revision } from '../../revisions.ts';
import type {
  Caller,
  ClientIdentity,
  Params,
  Result,
  Service,
  ServiceFacts,
  Watcher,
  WireName,
} from '../../service.ts';
import { changeMethods, LOG_METHOD, Watchers } from '../../watchers.ts';

export interface ServerFacts extends ServiceFacts {
  revision: Revision;
  era: Era;
  /** Set if the server speaks the dialect of transcript-dialect.ts instead of a revision. */
  dialect?: 'transcript';
}

/** A request while it is pending in the peer: its caller, and how long to wait. */
export class SentRequest implements RequestOptions {
  readonly caller: Caller;
  timeoutMs: number | undefined;
  totalTimeoutMs: number | undefined;
  readonly signal: CancelSignal | undefined;
  readonly onProgress: ((params: object) => void) | undefined;
  shared: SharedMembers | undefined;
  headers: RequestOptions['headers'];
  readonly sender: ClientIdentity;
  readonly #wire: WireName | undefined;

  constructor(caller: Caller, wire: WireName | undefined, totalTimeoutMs = caller.options?.totalTimeoutMs) {
    this.caller = caller;
    this.sender = caller.client.identity;
    this.#wire = wire;
    this.timeoutMs = caller.options?.timeoutMs;
    this.totalTimeoutMs = totalTimeoutMs;
    this.signal = caller.signal;
    this.onProgress = caller.wantsProgress ? (params) => caller.progress(params as Params) : undefined;
    this.shared = undefined;
    this.headers = undefined;
  }

  numbered(id: number): void {
    if (this.#wire) this.caller.sent?.(this.#wire, id);
  }
}

export abstract class Session implements Service {
  readonly peer: Peer;
  readonly facts: ServerFacts;
  /** Aborts when the connection ends, with the reason. */
  readonly closed: AbortSignal;
  /** The connection, as observers name it. */
  wire: WireName | undefined;
  /** Called once, when the connection has ended, after all watchers. */
  onclose: ((cause: Error | undefined) => void) | undefined;
  protected readonly watchers = new Watchers((error) => this.peer.onerror?.(error));

  constructor(peer: Peer, facts: ServerFacts) {
    this.peer = peer;
    this.facts = facts;
    const ended = new AbortController();
    this.closed = ended.signal;
    peer.onclose = (cause) => {
      ended.abort(cause ?? new PeerError('CONNECTION_CLOSED', 'The connection closed'));
      this.watchers.endAll();
      this.ended(cause);
      this.onclose?.(cause);
    };
    for (const method of changeMethods) {
      peer.onNotification(method, (params) => {
        if (this.accepts(params)) this.watchers.notify(method, params);
      });
    }
    peer.onNotification(LOG_METHOD, (params) => this.logged(params));
    peer.onOtherNotification((params, method) => this.watchers.notify(method, params));
  }

  /** Held by the peer, which makes no errors without a listener. */
  get onerror(): ((error: Error) => void) | undefined {
    return this.peer.onerror;
  }

  set onerror(listener: ((error: Error) => void) | undefined) {
    this.peer.onerror = listener;
  }

  get isAsked(): boolean {
    return this.peer.isAsked;
  }

  get isClosed(): boolean {
    return this.closed.aborted;
  }

  close(): Promise<void> {
    return this.peer.close();
  }

  describe(): ServerFacts {
    return this.facts;
  }

  /** The result as the server sent it. It is not checked, so that it may be something else than an object. */
  abstract request(method: string, params: Params, caller: Caller): Result | Promise<Result>;

  /** Whether a question that the server sends during a request of this client could belong to no other client. */
  isFreeFor(_client: string | number): boolean {
    return true;
  }

  /** Resolves to a function that stops it; that one never rejects. */
  abstract watch(watcher: Watcher): Promise<() => Promise<void>>;

  notify(method: string, params: Params | undefined): void {
    this.peer.notify(method, params).catch((error: unknown) => this.peer.onerror?.(toError(error)));
  }

  /** The connection has ended. */
  protected ended(_cause: Error | undefined): void {
    // nothing that both eras have
  }

  /** Whether a notification about a change was asked for. */
  protected accepts(_params: Params | undefined): boolean {
    return true;
  }

  protected logged(params: Params | undefined): void {
    this.watchers.notify(LOG_METHOD, params);
  }
}
