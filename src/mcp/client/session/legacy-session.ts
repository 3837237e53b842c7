// 2024-11-05 to 2025-11-25: requests pass unchanged, in a session opened by `initialize`. The server announces changed
// lists without a request; a resource is subscribed to once for all of its watchers. Log messages are not related to a
// request: they go to all watchers of their level.

import { PeerError, toError } from '../../../base/errors.ts';
import { metaOf } from '../../../base/json-object.ts';
import type { RequestOptions } from '../../../wire/jsonrpc/outbound.ts';
import type { Peer } from '../../../wire/jsonrpc/peer.ts';
import { isLogLevel, PROTOCOL_VERSION_KEY, reaches, withoutEnvelope } from '../../meta.ts';
import { mayAsk, methodsOfMcp } from '../../methods.ts';
import { isModernRevision } from '../../revisions.ts';
import type { Caller, ClientIdentity, Params, Result, Watcher } from '../../service.ts';
import { UPDATED_METHOD } from '../../watchers.ts';
import { endLegacyList, readServer } from '../tolerated-results.ts';
import type { Warn } from '../warnings.ts';
import { type ClientKey, GatedRequest, UnaskedRequest } from './gated-request.ts';
import { onlyCaller } from './open-callers.ts';
import type { QuestionGate } from './question-gate.ts';
import { ServerLogLevel } from './server-log-level.ts';
import { SentRequest, type ServerFacts, Session } from './session.ts';

/** Sends a request when it is the turn of its client. */
type Turn = <T>(send: () => Promise<T>) => Promise<T>;

interface Subscription {
  watchers: number;
  ready: Promise<unknown>;
}

export class LegacySession extends Session {
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #gate: QuestionGate;
  readonly #warn: Warn;
  /** The host, if several clients share the connection. */
  readonly #host: ClientIdentity | undefined;
  /** The log level of the server; undefined if the server does not support logging. */
  readonly #logLevel: ServerLogLevel | undefined;

  constructor(peer: Peer, facts: ServerFacts, gate: QuestionGate, host?: ClientIdentity) {
    super(peer, facts);
    this.#gate = gate;
    this.#warn = gate.warn;
    this.#host = host;
    if (facts.capabilities.logging) {
      this.#logLevel = new ServerLogLevel((level) => this.#sendUnasked('logging/setLevel', { level }), gate.warn);
    }
  }

  request(method: string, params: Params, caller: Caller): Promise<Result> {
    const answer = this.#request(method, params, caller);
    return methodsOfMcp.get(method)?.list ? answer.then((page) => endLegacyList(page, this.#warn)) : answer;
  }

  #request(method: string, params: Params, caller: Caller): Promise<Result> {
    const { level } = params;
    if (method === 'logging/setLevel' && this.#logLevel && isLogLevel(level)) {
      return this.#logLevel.choose(level, this.watchers.chosenLogLevel) as Promise<Result>;
    }
    const { logLevel } = caller.client;
    if (logLevel !== undefined && getsLogsOfCalls(caller)) {
      this.#logLevel?.include(logLevel, this.watchers.chosenLogLevel);
    }
    const sent = method === 'ping' ? undefined : plain(params);
    if (!this.#mayOwn(method, caller)) {
      return this.send(method, sent, new SentRequest(caller, this.wire)) as Promise<Result>;
    }
    const request = new GatedRequest(caller, this.wire, method, params);
    if (!mayAsk(method) || this.#gate.passes(request)) return this.send(method, sent, request) as Promise<Result>;
    return this.#gate.wait(request, () => this.send(method, sent, request) as Promise<Result>);
  }

  override notify(method: string, params: Params | undefined): void {
    super.notify(method, params && plain(params));
  }

  override isFreeFor(client: ClientKey): boolean {
    return this.#gate.isFreeFor(client);
  }

  async watch(watcher: Watcher): Promise<() => Promise<void>> {
    this.watchers.add(watcher);
    const uris = [...new Set(watcher.filter.resourceSubscriptions)];
    const turn: Turn = (send) => watcher.turn?.(send) ?? send();
    const updateLogLevel = () => watcher.filter.choosesLogs && this.#logLevel?.update(this.watchers.chosenLogLevel);
    const stop = async () => {
      if (!this.watchers.delete(watcher)) return;
      updateLogLevel();
      await Promise.all(uris.map((uri) => this.#unsubscribe(uri, turn)));
    };
    updateLogLevel();
    try {
      await Promise.all(uris.map((uri) => this.#subscribe(uri, turn)));
    } catch (error) {
      await stop();
      throw error;
    }
    return stop;
  }

  /**
   * Call this when the server dropped the session and has answered `initialize` in a new one. Restores the state of the
   * session.
   */
  renewed(initialized: Result): void {
    this.peer.forgetRequests(new PeerError('CONNECTION_CLOSED', 'The server ended the session of its question'));
    Object.assign(this.facts, readServer(initialized, this.#warn));
    if (this.facts.capabilities.logging) this.#logLevel?.renew(this.watchers.chosenLogLevel);
    for (const [uri, subscription] of this.#subscriptions) {
      subscription.ready = this.#sendUnasked('resources/subscribe', { uri });
      this.#resubscribed(uri, subscription.ready).catch((error: unknown) => this.peer.onerror?.(toError(error)));
    }
    // Changes in between were not announced.
    const { resourceSubscriptions: _, ...lists } = this.watchers.filter;
    this.watchers.notifyAll(lists);
  }

  protected override ended(cause: Error | undefined): void {
    this.#gate.close(cause);
  }

  protected send(method: string, params: Params | undefined, options?: RequestOptions): Promise<unknown> {
    return this.peer.request(method, params, options);
  }

  /**
   * A client of 2026-07-28 does not watch log messages. It gets a message only if that cannot belong to a request of
   * another client.
   */
  protected override logged(params: Params | undefined): void {
    super.logged(params);
    const caller = onlyCaller(this.peer, (each, method) => this.#mayOwn(method, each));
    if (!caller || caller === 'several' || !getsLogsOfCalls(caller)) return;
    const { logLevel } = caller.client;
    if (logLevel !== undefined && reaches(params?.level, logLevel)) caller.log(params!);
  }

  /** Whether a question may belong to a request of this caller. Lists and pings of the host itself are unrelated to a client. */
  #mayOwn(method: string, { client }: Caller): boolean {
    return mayAsk(method) || client.identity !== this.#host;
  }

  /** Sends a request on behalf of watchers. It is not tied to one client, because several may share it. */
  #sendUnasked(method: string, params: Params): Promise<unknown> {
    return this.send(method, params, this.#host && new UnaskedRequest(method));
  }

  async #subscribe(uri: string, turn: Turn): Promise<void> {
    let subscription = this.#subscriptions.get(uri);
    if (!subscription) {
      const ready = turn(() => this.#sendUnasked('resources/subscribe', { uri }));
      subscription = { watchers: 0, ready };
      this.#subscriptions.set(uri, subscription);
    }
    subscription.watchers++;
    try {
      await subscription.ready;
    } catch (error) {
      if (this.#subscriptions.get(uri) === subscription) this.#subscriptions.delete(uri);
      throw error;
    }
  }

  async #resubscribed(uri: string, ready: Promise<unknown>): Promise<void> {
    try {
      await ready;
    } catch (error) {
      if (this.isClosed || this.#subscriptions.get(uri)?.ready !== ready) return;
      this.#subscriptions.delete(uri);
      this.#warn('subscribe-failed', `The server refused a subscription in a new session: ${toError(error).message}`);
      return this.watchers.endUpdates(uri);
    }
    this.watchers.notify(UPDATED_METHOD, { uri });
  }

  async #unsubscribe(uri: string, turn: Turn): Promise<void> {
    const subscription = this.#subscriptions.get(uri);
    if (!subscription || --subscription.watchers > 0) return;
    this.#subscriptions.delete(uri);
    await subscription.ready.catch(() => undefined); // the subscription may be in renewal
    const send = async () => {
      if (this.#subscriptions.has(uri)) return; // another watcher subscribed before the turn
      await this.#sendUnasked('resources/unsubscribe', { uri });
    };
    await turn(send).catch((error: unknown) => {
      this.#warn('unsubscribe-failed', `The server refused to end a subscription: ${toError(error).message}`);
    });
  }
}

/** Removes the envelope of a modern client, because a server of both eras would take it for a modern request. */
function plain(params: Params): Params {
  const meta = metaOf(params);
  return meta?.[PROTOCOL_VERSION_KEY] === undefined ? params : { ...params, _meta: withoutEnvelope(meta) };
}

/** Clients of other revisions get log messages by watching them. */
function getsLogsOfCalls({ client: { revision } }: Caller): boolean {
  return isModernRevision(revision);
}
