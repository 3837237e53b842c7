// 2024-11-05 to 2025-11-25: requests pass unchanged, in a session that `initialize` opened. The server announces changed lists
// without a request; a resource is subscribed to once for all of its watchers. Its log messages belong to no request: they are for
// all watchers of their level.

import { toError } from '../../../base/errors.ts';
import type { Peer } from '../../../jsonrpc/peer.ts';
import { isLogLevel, PROTOCOL_VERSION, reaches, withoutEnvelope } from '../../meta.ts';
import { isModernRevision } from '../../revisions.ts';
import type { Caller, Params, Result, Watcher } from '../../service.ts';
import type { Meta } from '../../types.ts';
import type { Warn } from '../warnings.ts';
import { GatedRequest, mayAsk } from './gated-request.ts';
import { onlyCaller } from './open-callers.ts';
import type { QuestionGate } from './question-gate.ts';
import { ServerLogLevel } from './server-log-level.ts';
import { type SentRequest, type ServerFacts, Session } from './session.ts';

interface Subscription {
  watchers: number;
  ready: Promise<unknown>;
}

export class LegacySession extends Session {
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #gate: QuestionGate;
  readonly #warn: Warn;
  /** Undefined if the server does not log. */
  readonly #logLevel: ServerLogLevel | undefined;

  constructor(peer: Peer, facts: ServerFacts, gate: QuestionGate) {
    super(peer, facts);
    this.#gate = gate;
    this.#warn = gate.warn;
    if (facts.capabilities.logging) {
      this.#logLevel = new ServerLogLevel((level) => this.send('logging/setLevel', { level }), gate.warn);
    }
  }

  request(method: string, params: Params, caller: Caller): Promise<Result> {
    const { level } = params;
    if (method === 'logging/setLevel' && this.#logLevel && isLogLevel(level)) {
      return this.#logLevel.choose(level, this.watchers.chosenLogLevel) as Promise<Result>;
    }
    const { logLevel, revision } = caller.client;
    if (logLevel !== undefined && isModernRevision(revision)) {
      this.#logLevel?.include(logLevel, this.watchers.chosenLogLevel);
    }
    const request = new GatedRequest(caller, this.wire, method, params);
    const sent = method === 'ping' ? undefined : plain(params);
    if (!mayAsk(method) || this.#gate.passes(request)) return this.send(method, sent, request) as Promise<Result>;
    return this.#gate.wait(request, () => this.send(method, sent, request) as Promise<Result>);
  }

  async watch(watcher: Watcher): Promise<() => Promise<void>> {
    this.watchers.add(watcher);
    const uris = [...new Set(watcher.filter.resourceSubscriptions)];
    const updateLogLevel = () => watcher.filter.choosesLogs && this.#logLevel?.update(this.watchers.chosenLogLevel);
    const stop = async () => {
      if (!this.watchers.delete(watcher)) return;
      updateLogLevel();
      await Promise.all(uris.map((uri) => this.#unsubscribe(uri)));
    };
    updateLogLevel();
    try {
      await Promise.all(uris.map((uri) => this.#subscribe(uri)));
    } catch (error) {
      await stop();
      throw error;
    }
    return stop;
  }

  protected override ended(cause: Error | undefined): void {
    this.#gate.close(cause);
  }

  protected send(method: string, params: Params | undefined, options?: SentRequest): Promise<unknown> {
    return this.peer.request(method, params, options);
  }

  /** A client of 2026-07-28 watches no log messages: it gets those that can be of no other client's request. */
  protected override logged(params: Params | undefined): void {
    super.logged(params);
    const caller = onlyCaller(this.peer, (_, method) => mayAsk(method));
    if (!caller || caller === 'several' || !isModernRevision(caller.client.revision)) return;
    const { logLevel } = caller.client;
    if (logLevel !== undefined && reaches(params?.level, logLevel)) caller.log(params!);
  }

  async #subscribe(uri: string): Promise<void> {
    let subscription = this.#subscriptions.get(uri);
    if (!subscription) {
      subscription = { watchers: 0, ready: this.send('resources/subscribe', { uri }) };
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

  async #unsubscribe(uri: string): Promise<void> {
    const subscription = this.#subscriptions.get(uri);
    if (!subscription || --subscription.watchers > 0) return;
    this.#subscriptions.delete(uri);
    await this.send('resources/unsubscribe', { uri }).catch((error: unknown) => {
      this.#warn('unsubscribe-failed', `The server refused to end a subscription: ${toError(error).message}`);
    });
  }
}

/** A server of both eras would take the envelope of a modern client for a modern request. */
function plain(params: Params): Params {
  const meta = params._meta as Meta | undefined;
  return meta?.[PROTOCOL_VERSION] === undefined ? params : { ...params, _meta: withoutEnvelope(meta) };
}
