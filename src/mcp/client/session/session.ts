// An MCP server over one of our connections, as a service. The era decides how requests are sent and how notifications
// are requested; the part that both eras share is here.

import type { CancelSignal } from '../../../base/cancel-signal.ts';
import { PeerError, toError } from '../../../base/errors.ts';
import type { SharedMembers } from '../../../wire/jsonrpc/message-text.ts';
import type { RequestOptions } from '../../../wire/jsonrpc/outbound.ts';
import type { Peer } from '../../../wire/jsonrpc/peer.ts';
import type { Catalogue } from '../../catalogue.ts';
import type { Era, Revision } from '../../revisions.ts';
import type { Caller, ClientFacts, Params, Result, Service, ServiceFacts, Watcher, WireName } from '../../service.ts';
import { changeMethods, LOG_METHOD, Watchers } from '../../watchers.ts';

export interface ServerFacts extends ServiceFacts {
  revision: Revision;
  era: Era;
  /** Set if the server uses the dialect of transcript-dialect.ts instead of a revision. */
  dialect?: 'transcript';
}

/** The options of a pending request in the peer: its caller and its timeouts. */
export class SentRequest implements RequestOptions {
  readonly caller: Caller;
  timeoutMs: number | undefined;
  totalTimeoutMs: number | undefined;
  readonly signal: CancelSignal | undefined;
  readonly onProgress: ((params: object) => void) | undefined;
  readonly progressUntil: CancelSignal | undefined;
  shared: SharedMembers | undefined;
  headers: RequestOptions['headers'];
  readonly #wire: WireName | undefined;

  constructor(caller: Caller, wire: WireName | undefined, totalTimeoutMs = caller.options?.totalTimeoutMs) {
    this.caller = caller;
    this.#wire = wire;
    this.timeoutMs = caller.options?.timeoutMs;
    this.totalTimeoutMs = totalTimeoutMs;
    this.signal = caller.signal;
    this.onProgress = caller.wantsProgress ? (params) => caller.progress(params as Params) : undefined;
    this.progressUntil = caller.progressUntil;
    this.shared = undefined;
    this.headers = undefined;
  }

  numbered(id: number): void {
    if (this.#wire) this.caller.link?.sent(this.#wire, id);
  }
}

export abstract class Session implements Service {
  readonly peer: Peer;
  readonly facts: ServerFacts;
  /** Aborts when the connection ends, with the reason. */
  readonly closed: AbortSignal;
  /** The lists of the server, once it is connected. */
  catalogue: Catalogue | undefined;
  /** The name of the connection for observers. */
  wire: WireName | undefined;
  /** Called once, when the connection has ended, after all watchers were notified. */
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
    peer.onOtherNotification((params, method) => this.other(method, params));
  }

  /** The listener is stored in the peer, which creates errors only if one is set. */
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

  /** Returns the result as the server sent it. It is unchecked, so it may not be an object. */
  abstract request(method: string, params: Params, caller: Caller): Result | Promise<Result>;

  /** Whether a question that the server sends during a request from this client could not belong to another client. */
  isFreeFor(_client: string | number): boolean {
    return true;
  }

  /** Resolves with a function that stops the watch and never rejects. */
  abstract watch(watcher: Watcher): Promise<() => Promise<void>>;

  notify(method: string, params: Params | undefined, _client?: ClientFacts): void {
    this.peer.notify(method, params).catch((error: unknown) => this.peer.onerror?.(toError(error)));
  }

  /** Called when the connection has ended. */
  protected ended(_cause: Error | undefined): void {
    // the eras have no cleanup in common
  }

  /** Whether a change notification was requested. */
  protected accepts(_params: Params | undefined): boolean {
    return true;
  }

  /** Called with a notification that MCP does not define. */
  protected other(method: string, params: Params | undefined): void {
    this.watchers.notify(method, params);
  }

  protected logged(params: Params | undefined): void {
    this.watchers.notify(LOG_METHOD, params);
  }
}
