// A client of the revisions up to 2025-11-25: a session that `initialize` opens, with a log level and subscriptions.
// Questions to the client are requests.

import type { CancelSignal } from '../../base/cancel-signal.ts';
import { isObject } from '../../base/json-object.ts';
import type { InboundCall } from '../../wire/jsonrpc/inbound.ts';
import type { Peer } from '../../wire/jsonrpc/peer.ts';
import { CALL_OPTIONS, type CallLimits, DEFAULT_LOG_LEVEL, isLogLevel } from '../meta.ts';
import { isIn } from '../methods.ts';
import { invalidParams, methodNotFound } from '../protocol-errors.ts';
import { isLegacyRevision, type LegacyRevision, NEWEST_LEGACY, NEWEST_MODERN } from '../revisions.ts';
import type { ClientFacts, ClientIdentity, Params, Result, Service, ServiceFacts, WatchFilter } from '../service.ts';
import type { ClientCapabilities, Implementation, InputRequest, InputResponse, LogLevel } from '../types.ts';
import { announcedLists } from '../watchers.ts';
import { takeCallOptions } from './call-options.ts';
import type { ClientObserver } from './client-observer.ts';
import { capabilitiesFor, implementationFor, resultFor } from './down-level.ts';
import { LegacySubscriptions } from './legacy-subscriptions.ts';
import type { Notifier } from './notifier.ts';
import { LegacyCaller } from './request-caller.ts';
import { serviceRequest } from './service-request.ts';

interface Session extends ClientFacts {
  revision: LegacyRevision;
  logLevel: LogLevel;
  /** The lists whose changes were announced in the capabilities. */
  announced: WatchFilter;
  isNotified: boolean;
}

export class LegacyEra {
  /** Set once `initialize` has arrived; assumed for a client that skips it. */
  session: Session | undefined;
  readonly #service: Service;
  readonly #identity: ClientIdentity;
  readonly #peer: Peer;
  readonly #notifier: Notifier;
  readonly #askTimeoutMs: number;
  readonly #subscriptions: LegacySubscriptions;
  readonly #observer: ClientObserver | undefined;
  /** The last `initialize`, whose description of the client is kept. */
  #introduction: InboundCall | undefined;
  #elicitations = 0;

  constructor(
    service: Service,
    identity: ClientIdentity,
    peer: Peer,
    notifier: Notifier,
    askTimeoutMs: number,
    observer: ClientObserver | undefined,
  ) {
    this.#service = service;
    this.#identity = identity;
    this.#peer = peer;
    this.#notifier = notifier;
    this.#askTimeoutMs = askTimeoutMs;
    this.#observer = observer;
    this.#subscriptions = new LegacySubscriptions(service, notifier, peer);
  }

  serve(method: string, params: Params, inbound: InboundCall): Result | Promise<Result> {
    if (method === 'initialize') return this.#initialize(params, inbound);
    if (method === 'ping') return {};
    const session = this.session ?? this.#open(NEWEST_LEGACY, {}, undefined);
    this.beginNotifications(); // a client may skip `notifications/initialized`
    switch (method) {
      case 'logging/setLevel':
        return this.#setLogLevel(params, session);
      case 'resources/subscribe':
        return this.#subscribe(params, session, true);
      case 'resources/unsubscribe':
        return this.#subscribe(params, session, false);
    }
    if (!isIn(method, NEWEST_LEGACY)) throw methodNotFound(method, `added in ${NEWEST_MODERN}`);
    const meta = params._meta as Params | undefined;
    let options: CallLimits | undefined;
    if (meta?.[CALL_OPTIONS] !== undefined) ({ params, options } = takeCallOptions(params, meta));
    const caller = new LegacyCaller(inbound, session, this.#notifier, options, this.#observer, this.#ask);
    const result = serviceRequest(this.#service, method, params, caller);
    return result instanceof Promise
      ? result.then((settled) => resultFor(session.revision, method, settled))
      : resultFor(session.revision, method, result);
  }

  /**
   * Notifications that are unrelated to a request begin after `notifications/initialized` has arrived and `initialize`
   * was answered: a client may treat anything else before that answer as an error.
   */
  beginNotifications(): void {
    const { session } = this;
    if (!session || session.isNotified) return;
    session.isNotified = true;
    this.#afterAnswer(session, () => this.#subscriptions.open(session, session.announced));
  }

  close(): void {
    this.session = undefined;
    this.#subscriptions.close();
  }

  /** The session begins at once: a client may send its next request before the service has described itself. */
  #initialize(params: Params, inbound: InboundCall): Result | Promise<Result> {
    const { protocolVersion, capabilities = {}, clientInfo } = params;
    if (typeof protocolVersion !== 'string') throw invalidParams('"protocolVersion" must be a string');
    if (!isObject(capabilities)) throw invalidParams('"capabilities" must be an object');
    const refusal = this.#peer.channel.hold?.(inbound.bytes - (this.#introduction?.bytes ?? 0));
    if (refusal) throw refusal;
    this.#introduction = inbound;
    this.#subscriptions.pause();
    const revision = isLegacyRevision(protocolVersion) ? protocolVersion : NEWEST_LEGACY;
    const client = this.#open(revision, capabilities as ClientCapabilities, clientInfo as Implementation);
    this.#peer.channel.setProtocolVersion?.(revision);
    const answer = (facts: ServiceFacts) => {
      client.announced = announcedLists(facts.capabilities);
      return initialized(revision, facts);
    };
    const facts = this.#service.describe(client);
    return facts instanceof Promise ? facts.then(answer) : answer(facts);
  }

  #open(revision: LegacyRevision, capabilities: ClientCapabilities, info: Implementation | undefined): Session {
    const session = { revision, capabilities, info, logLevel: DEFAULT_LOG_LEVEL, announced: {}, isNotified: false };
    this.session = { identity: this.#identity, ...session };
    this.#observer?.introduced(this.session);
    return this.session;
  }

  /** Runs synchronously if there is nothing to wait for, so that the order of requests is kept. */
  #afterAnswer(session: Session, run: () => void): void {
    if (!this.#introduction || this.#introduction.settled) return run();
    void this.#introduction.whenSettled.then(() => this.session === session && run());
  }

  #setLogLevel({ level }: Params, session: Session): Result {
    if (!isLogLevel(level)) throw invalidParams(`Unknown log level ${JSON.stringify(level)}`);
    session.logLevel = level;
    this.#afterAnswer(session, () => this.#subscriptions.open(session, session.announced, true));
    return {};
  }

  async #subscribe({ uri }: Params, session: Session, on: boolean): Promise<Result> {
    const { capabilities } = await this.#service.describe();
    if (!capabilities.resources) throw methodNotFound('resources/subscribe', 'this server has no resources');
    if (typeof uri !== 'string') throw invalidParams('A subscription needs a "uri"');
    await (on ? this.#subscriptions.subscribe(uri, session) : this.#subscriptions.unsubscribe(uri));
    return {};
  }

  readonly #ask = (
    { method, params }: InputRequest,
    { id: relatedRequestId }: InboundCall,
    signal: CancelSignal,
  ): Promise<InputResponse> => {
    const question = { ...params } as Params;
    if (method === 'elicitation/create' && question.mode === 'url') {
      question.elicitationId ??= `elicitation-${++this.#elicitations}`;
    }
    const timeoutMs = this.#askTimeoutMs;
    const observer = this.#observer;
    const numbered = observer && ((id: number) => observer.asked(relatedRequestId, id));
    return this.#peer.request<InputResponse>(method, question, { timeoutMs, signal, relatedRequestId, numbered });
  };
}

function initialized(revision: LegacyRevision, { info, capabilities, instructions }: ServiceFacts): Result {
  const result = {
    protocolVersion: revision,
    capabilities: capabilitiesFor(revision, capabilities),
    serverInfo: implementationFor(revision, info),
  };
  return instructions === undefined ? result : { ...result, instructions };
}
