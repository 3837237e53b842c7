// A service shown to one client, in both eras at once: a request that describes itself in `_meta` is served by 2026-07-28,
// alone and without memory; one that comes after `initialize` is served by the revision agreed there. Everything that differs
// between the eras is decided here and in this folder. The front knows no method that both eras have: those are the service's.

import { toRpcError } from '../../base/error-json.ts';
import type { Channel } from '../../jsonrpc/channel.ts';
import type { InboundCall, RequestHandler } from '../../jsonrpc/inbound.ts';
import { Peer, type PeerOptions } from '../../jsonrpc/peer.ts';
import { capabilitiesFor, implementationFor, resultFor } from '../down-level.ts';
import { CALL_OPTIONS, type CallOptions, isLogLevel, PROTOCOL_VERSION, SERVER_INFO } from '../meta.ts';
import { invalidParams, methodNotFound } from '../protocol-errors.ts';
import { isLegacyRevision, type LegacyRevision, modernRevisions, NEWEST_LEGACY } from '../revisions.ts';
import type { ClientFacts, Params, Result, Service, ServiceFacts } from '../service.ts';
import type {
  ClientCapabilities,
  Implementation,
  InputRequest,
  InputResponse,
  LogLevel,
  Meta,
  RequestId,
} from '../types.ts';
import { takeCallOptions } from './call-options.ts';
import { modernResult, readEnvelope } from './envelope.ts';
import type { Fronts } from './fronts.ts';
import { LegacySubscriptions } from './legacy-subscriptions.ts';
import { Listeners } from './listeners.ts';
import { ModernCaller } from './modern-caller.ts';
import { Notifier } from './notifier.ts';
import { LegacyCaller } from './request-caller.ts';
import { fromDialect, toDialect } from './transcript-dialect.ts';

interface Session extends ClientFacts {
  revision: LegacyRevision;
  logLevel: LogLevel;
}

/** Notifications that end here. */
const ownNotifications = new Set(['notifications/initialized', 'notifications/cancelled', 'notifications/progress']);

export class Front {
  readonly peer: Peer;
  /** Resolves when the connection is over, with the reason where there is one. */
  readonly closed: Promise<Error | undefined>;
  readonly #shared: Fronts;
  readonly #service: Service;
  readonly #listeners: Listeners;
  readonly #subscriptions: LegacySubscriptions;
  readonly #notifier = new Notifier((method, params, request) => this.#notify(method, params, request));
  /** The legacy session, once `initialize` has come, or assumed for a client that skips it. */
  #session: Session | undefined;
  /** Of the last request of 2026-07-28. */
  #modern: ClientFacts | undefined;
  /** Of the service, since it was last described. */
  #info: Implementation | undefined;
  #elicitations = 0;

  constructor(shared: Fronts, channel: Channel, options: PeerOptions) {
    const { service } = shared;
    this.#shared = shared;
    this.#service = service;
    this.peer = new Peer(channel, options);
    this.#listeners = new Listeners(service, this.#notifier);
    this.#subscriptions = new LegacySubscriptions(service, this.#notifier, (error) => this.peer.onerror?.(error));
    const serve: RequestHandler = (params, inbound) => this.#serveAny(inbound.request.method, params, inbound);
    const serving = shared.exposeErrors ? exposingErrors(serve) : serve;
    this.peer.handleOthers(serving);
    this.peer.handle('ping', serving, { urgent: true });
    // An open subscription must not take the place of a request that does work.
    this.peer.handle('subscriptions/listen', serving, { urgent: true });
    this.peer.onOtherNotification((params, method) => this.#notified(method, params));
    this.peer.onending = () => void this.#listeners.endAll();
    this.peer.onfull = (isFull) => this.#notifier.setFull(isFull);
    this.closed = new Promise((resolve) => {
      this.peer.onclose = (cause) => {
        this.#subscriptions.close();
        shared.suspended.connectionClosed(this.#notifier);
        resolve(cause);
      };
    });
  }

  async close(): Promise<void> {
    await this.#listeners.endAll(); // a transport that closes at once would lose these answers
    await this.peer.close();
  }

  /** For `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #serveAny(method: string, params: Params, inbound: InboundCall): unknown {
    const translated = fromDialect(method, params);
    if (!translated) return this.#serve(method, params, inbound);
    const result = this.#serve(translated.method, translated.params, inbound);
    return result instanceof Promise
      ? result.then((settled) => toDialect(translated.method, settled))
      : toDialect(translated.method, result);
  }

  #serve(method: string, params: Params, inbound: InboundCall): Result | Promise<Result> {
    const meta = params._meta as Params | undefined;
    if (meta?.[PROTOCOL_VERSION] !== undefined) return this.#serveModern(method, params, meta, inbound);
    if (method === 'initialize') return this.#initialize(params);
    if (method === 'ping') return {};
    if (!this.#session) {
      if (this.#modern || method === 'server/discover' || method === 'subscriptions/listen') {
        throw invalidParams(`${method} needs "_meta" with "${PROTOCOL_VERSION}" in the revision ${modernRevisions[0]}`);
      }
      // Not even `initialize`: the server is tried by hand, or a client takes the short way.
      this.#openSession(NEWEST_LEGACY, {}, undefined);
    }
    return this.#serveLegacy(method, params, meta, inbound, this.#session!);
  }

  #serveLegacy(
    method: string,
    params: Params,
    meta: Params | undefined,
    inbound: InboundCall,
    session: Session,
  ): Result | Promise<Result> {
    switch (method) {
      case 'logging/setLevel':
        return this.#setLogLevel(params, session);
      case 'resources/subscribe':
        return this.#subscribe(params, true);
      case 'resources/unsubscribe':
        return this.#subscribe(params, false);
      case 'server/discover':
      case 'subscriptions/listen':
        throw methodNotFound(method, `it came with ${modernRevisions[0]}`);
    }
    let options: CallOptions | undefined;
    if (meta?.[CALL_OPTIONS] !== undefined) ({ params, options } = takeCallOptions(params, meta));
    const caller = new LegacyCaller(inbound, session, this.#notifier, options, this.#askLegacy);
    const result = this.#service.request(method, params, caller);
    return result instanceof Promise
      ? result.then((settled) => resultFor(session.revision, method, settled))
      : resultFor(session.revision, method, result);
  }

  #serveModern(method: string, params: Params, meta: Params, inbound: InboundCall): Result | Promise<Result> {
    const client = readEnvelope(meta);
    this.#modern = client;
    const result = this.#modernResult(method, params, meta, inbound, client);
    return result instanceof Promise
      ? result.then((settled) => this.#dressed(method, settled))
      : this.#dressed(method, result);
  }

  #modernResult(
    method: string,
    params: Params,
    meta: Params,
    inbound: InboundCall,
    client: ClientFacts,
  ): Result | Promise<Result> {
    switch (method) {
      case 'server/discover':
        return this.#described(discovered);
      case 'subscriptions/listen':
        return this.#listeners.listen(params, inbound);
      case 'initialize':
      case 'ping':
      case 'logging/setLevel':
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        throw methodNotFound(method, `removed in ${modernRevisions[0]}`);
    }
    const { suspended } = this.#shared;
    if (params.requestState !== undefined) return suspended.resume(inbound, client, this.#notifier);
    let options: CallOptions | undefined;
    if (meta[CALL_OPTIONS] !== undefined) ({ params, options } = takeCallOptions(params, meta));
    const caller = new ModernCaller(inbound, client, this.#notifier, options);
    return suspended.run(caller, this.#service.request(method, params, caller));
  }

  #dressed(method: string, result: Result): Result | Promise<Result> {
    const { cache } = this.#shared;
    // A result of a modern server behind the service names its sender itself.
    if ((result._meta as Meta | undefined)?.[SERVER_INFO] !== undefined) {
      return modernResult(result, method, undefined, cache);
    }
    if (this.#info) return modernResult(result, method, this.#info, cache);
    const described = this.#described(({ info }) => modernResult(result, method, info, cache));
    // A service that is lost by now has answered all the same.
    return described instanceof Promise
      ? described.catch(() => modernResult(result, method, undefined, cache))
      : described;
  }

  #described<T>(use: (facts: ServiceFacts) => T): T | Promise<T> {
    const known = (facts: ServiceFacts) => {
      this.#info = facts.info;
      return use(facts);
    };
    const facts = this.#service.describe();
    return facts instanceof Promise ? facts.then(known) : known(facts);
  }

  /** The session begins at once: a client may send its next request before the service has described itself. */
  #initialize(params: Params): Result | Promise<Result> {
    const { protocolVersion, capabilities = {}, clientInfo } = params;
    const revision = isLegacyRevision(protocolVersion) ? protocolVersion : NEWEST_LEGACY;
    this.#openSession(revision, capabilities as ClientCapabilities, clientInfo as Implementation);
    this.peer.channel.setProtocolVersion?.(revision);
    return this.#described((facts) => initialized(revision, facts));
  }

  #openSession(revision: LegacyRevision, capabilities: ClientCapabilities, info: Implementation | undefined): void {
    this.#session = { revision, capabilities, info, logLevel: 'info' };
    this.#subscriptions.open('info');
  }

  #setLogLevel({ level }: Params, session: Session): Result {
    if (!isLogLevel(level)) throw invalidParams(`Unknown log level ${JSON.stringify(level)}`);
    session.logLevel = level;
    this.#subscriptions.open(level);
    return {};
  }

  async #subscribe({ uri }: Params, on: boolean): Promise<Result> {
    const { capabilities } = await this.#service.describe();
    if (!capabilities.resources) throw methodNotFound('resources/subscribe', 'this server has no resources');
    if (typeof uri !== 'string') throw invalidParams('A subscription needs a "uri"');
    await (on ? this.#subscriptions.subscribe(uri) : this.#subscriptions.unsubscribe(uri));
    return {};
  }

  #notified(method: string, params: Params | undefined): void {
    const client = this.#session ?? this.#modern;
    if (client && !ownNotifications.has(method)) this.#service.notify(method, params, client);
  }

  readonly #askLegacy = (
    { method, params }: InputRequest,
    { id: relatedRequestId }: InboundCall,
    signal: AbortSignal,
  ): Promise<InputResponse> => {
    const question = { ...params } as Params;
    if (method === 'elicitation/create' && question.mode === 'url') {
      question.elicitationId ??= `elicitation-${++this.#elicitations}`;
    }
    const { askTimeoutMs: timeoutMs } = this.#shared;
    return this.peer.request<InputResponse>(method, question, { timeoutMs, signal, relatedRequestId });
  };

  #notify(method: string, params: Params | undefined, relatedRequestId: RequestId | undefined): void {
    // What may be sent is decided by the notifier.
    const sent = this.peer.notify(method, params, { neverRefuse: true, relatedRequestId });
    sent.catch((error: Error) => this.peer.onerror?.(error));
  }
}

function initialized(revision: LegacyRevision, { info, capabilities, instructions }: ServiceFacts): Result {
  const result = {
    protocolVersion: revision,
    capabilities: capabilitiesFor(revision, capabilities),
    serverInfo: implementationFor(revision, info),
  };
  return instructions === undefined ? result : { ...result, instructions };
}

function discovered({ capabilities, instructions }: ServiceFacts): Result {
  const result = { supportedVersions: [...modernRevisions], capabilities };
  return instructions === undefined ? result : { ...result, instructions };
}

function exposingErrors(serve: RequestHandler): RequestHandler {
  const fail = (error: unknown) => {
    throw toRpcError(error);
  };
  return (params, inbound) => {
    try {
      const result = serve(params, inbound);
      return result instanceof Promise ? result.catch(fail) : result;
    } catch (error) {
      return fail(error);
    }
  };
}
