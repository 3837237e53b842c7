// A server on one pipe, in both eras at once: a request that describes itself in `_meta` is served by 2026-07-28, alone
// and without memory; one that comes after `initialize` is served by the revision agreed there. Everything that differs
// between the eras is decided here; what the methods do is the same.

import type { Channel } from '../../jsonrpc/channel.ts';
import type { InboundCall } from '../../jsonrpc/inbound.ts';
import { Peer, type PeerOptions } from '../../jsonrpc/peer.ts';
import { capabilitiesFor, titledFor } from '../down-level.ts';
import { isLogLevel, PROTOCOL_VERSION, reaches } from '../meta.ts';
import { invalidParams, methodNotFound } from '../protocol-errors.ts';
import { isLegacyRevision, modernRevisions, NEWEST_LEGACY } from '../revisions.ts';
import type { ClientCapabilities, Implementation, InputRequest, InputResponse, LogLevel } from '../types.ts';
import { Call, type CallLink, type ClientContext } from './call.ts';
import { readEnvelope } from './envelope.ts';
import { Listeners } from './listeners.ts';
import { callTool, complete, getPrompt, listPage, type Params, readResource } from './methods.ts';
import { Notifier } from './notifier.ts';
import type { Family } from './registry.ts';
import type { ServerCore } from './server-core.ts';
import { SubscribedUris } from './subscribed-uris.ts';
import { TranscriptDialect } from './transcript-dialect.ts';

interface Session extends ClientContext {
  logLevel: LogLevel;
}

/** Starts a handler in the way of the era. */
type RunHandler = (work: (call: Call) => unknown) => unknown;

export class Connection {
  readonly peer: Peer;
  /** Resolves when the connection is over, with the reason where there is one. */
  readonly closed: Promise<Error | undefined>;
  readonly #core: ServerCore;
  readonly #listeners: Listeners;
  /** The legacy session, once `initialize` has been answered, or assumed for a client that skips it. */
  #session: Session | undefined;
  #spokeModern = false;
  #subscribed = new SubscribedUris();
  readonly #notifier = new Notifier((method, params) => this.#notify(method, params));
  readonly #link: CallLink;

  constructor(core: ServerCore, channel: Channel, options: PeerOptions) {
    this.#core = core;
    this.peer = new Peer(new TranscriptDialect(channel), options);
    this.#link = {
      progress: (inbound, params) => this.#notifier.progress(inbound, params),
      log: (params) => this.#notifier.log(params),
      ask: (call, request) => this.#askLegacy(call, request),
    };
    this.#listeners = new Listeners(this.#notifier, (family) => core.capabilities[family] !== undefined);
    this.peer.handleOthers((params, inbound) => this.#serve(inbound.request.method, params, inbound));
    this.peer.handle('ping', (params) => this.#ping(params), { urgent: true });
    // An open subscription must not take the place of a request that does work.
    this.peer.handle(
      'subscriptions/listen',
      (params, inbound) => this.#serve('subscriptions/listen', params, inbound),
      { urgent: true },
    );
    this.peer.onending = () => void this.#listeners.endAll();
    this.peer.onfull = (isFull) => this.#notifier.setFull(isFull);
    this.closed = new Promise((resolve) => {
      this.peer.onclose = (cause) => {
        core.suspended.ownerClosed(this.#notifier);
        resolve(cause);
      };
    });
  }

  listChanged(family: Family): void {
    if (this.#session) this.#notifier.changed(`notifications/${family}/list_changed`);
    this.#listeners.listChanged(family);
  }

  resourceUpdated(uri: string): void {
    if (this.#subscribed.has(uri)) this.#notifier.changed('notifications/resources/updated', { uri });
    this.#listeners.resourceUpdated(uri);
  }

  log(level: LogLevel, data: unknown, logger: string | undefined): void {
    if (!this.#session || !reaches(level, this.#session.logLevel)) return;
    this.#notifier.log(logger === undefined ? { level, data } : { level, logger, data });
  }

  async close(): Promise<void> {
    await this.#listeners.endAll(); // a transport that closes at once would lose these answers
    await this.peer.close();
  }

  /** For `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #serve(method: string, params: Params, inbound: InboundCall): unknown {
    const meta = params._meta as Params | undefined;
    if (meta?.[PROTOCOL_VERSION] !== undefined) return this.#serveModern(method, params, meta, inbound);
    if (method === 'initialize') return this.#initialize(params);
    if (!this.#session) {
      if (this.#spokeModern || method === 'server/discover' || method === 'subscriptions/listen') {
        throw invalidParams(`${method} needs "_meta" with "${PROTOCOL_VERSION}" in the revision ${modernRevisions[0]}`);
      }
      // Not even `initialize`: somebody tries the server by hand, or a client takes the short way.
      this.#session = this.#newSession(NEWEST_LEGACY, {}, undefined);
    }
    return this.#serveLegacy(method, params, inbound, this.#session);
  }

  #serveLegacy(method: string, params: Params, inbound: InboundCall, session: Session): unknown {
    switch (method) {
      case 'logging/setLevel':
        return this.#setLogLevel(params, session);
      case 'resources/subscribe':
        return this.#subscribe(params, true);
      case 'resources/unsubscribe':
        return this.#subscribe(params, false);
      default:
        return this.#serveEither(method, params, session, (run) => run(new Call(inbound, session, this.#link)));
    }
  }

  #serveModern(method: string, params: Params, meta: Params, inbound: InboundCall): unknown {
    const client = readEnvelope(meta);
    this.#spokeModern = true;
    const { suspended } = this.#core;
    const round: RunHandler = (run) =>
      params.requestState === undefined
        ? suspended.start(inbound, client, this.#notifier, run)
        : suspended.resume(inbound, client, this.#notifier);
    const result = this.#modernResult(method, params, inbound, client, round);
    const dress = (bare: unknown) => this.#core.dressed(bare as Params, method);
    return result instanceof Promise ? result.then(dress) : dress(result);
  }

  #modernResult(
    method: string,
    params: Params,
    inbound: InboundCall,
    client: ClientContext,
    round: RunHandler,
  ): unknown {
    switch (method) {
      case 'server/discover':
        return this.#discover();
      case 'subscriptions/listen':
        return this.#listeners.listen(params, inbound);
      default:
        return this.#serveEither(method, params, client, round);
    }
  }

  /** The methods that both eras have. */
  #serveEither(method: string, params: Params, client: ClientContext, run: RunHandler): unknown {
    const { registry, pageSize } = this.#core;
    const { revision } = client;
    switch (method) {
      case 'tools/call':
        this.#offers(method, 'tools');
        return run((call) => callTool(registry, params, call));
      case 'tools/list':
        this.#offers(method, 'tools');
        return listPage(registry.tools, 'tools', params, revision, pageSize);
      case 'resources/list':
        this.#offers(method, 'resources');
        return listPage(registry.resources, 'resources', params, revision, pageSize);
      case 'resources/templates/list':
        this.#offers(method, 'resources');
        return listPage(registry.templates, 'resourceTemplates', params, revision, pageSize);
      case 'resources/read':
        this.#offers(method, 'resources');
        return run((call) => readResource(registry, params, call));
      case 'prompts/list':
        this.#offers(method, 'prompts');
        return listPage(registry.prompts, 'prompts', params, revision, pageSize);
      case 'prompts/get':
        this.#offers(method, 'prompts');
        return run((call) => getPrompt(registry, params, call));
      case 'completion/complete':
        if (!this.#core.capabilities.completions) throw methodNotFound(method, 'this server completes nothing');
        return complete(registry, params);
      default:
        throw methodNotFound(method);
    }
  }

  #initialize(params: Params): Params {
    const { protocolVersion, capabilities = {}, clientInfo } = params;
    const revision = isLegacyRevision(protocolVersion) ? protocolVersion : NEWEST_LEGACY;
    this.#session = this.#newSession(revision, capabilities as ClientCapabilities, clientInfo as Implementation);
    this.peer.channel.setProtocolVersion?.(revision);
    const { info, instructions, capabilities: offered } = this.#core;
    const result = {
      protocolVersion: revision,
      capabilities: capabilitiesFor(revision, offered),
      serverInfo: titledFor(revision, info),
    };
    return instructions === undefined ? result : { ...result, instructions };
  }

  #newSession(
    revision: Session['revision'],
    capabilities: ClientCapabilities,
    info: Implementation | undefined,
  ): Session {
    return { revision, capabilities, info, logLevel: 'info' };
  }

  #discover(): Params {
    const { capabilities, instructions } = this.#core;
    const result = { supportedVersions: [...modernRevisions], capabilities };
    return instructions === undefined ? result : { ...result, instructions };
  }

  #ping(params: Params): object {
    const meta = params?._meta as Params | undefined;
    if (meta?.[PROTOCOL_VERSION] !== undefined) throw methodNotFound('ping', 'removed in 2026-07-28');
    return {};
  }

  #setLogLevel({ level }: Params, session: Session): object {
    if (!isLogLevel(level)) throw invalidParams(`Unknown log level ${JSON.stringify(level)}`);
    session.logLevel = level;
    return {};
  }

  #subscribe({ uri }: Params, on: boolean): object {
    this.#offers('resources/subscribe', 'resources');
    if (typeof uri !== 'string') throw invalidParams('A subscription needs a "uri"');
    if (on) this.#subscribed.add(uri);
    else this.#subscribed.delete(uri);
    return {};
  }

  #offers(method: string, family: Family): void {
    if (!this.#core.capabilities[family]) throw methodNotFound(method, `this server has no ${family}`);
  }

  #askLegacy(call: Call, { method, params }: InputRequest): Promise<InputResponse> {
    return this.peer.request<InputResponse>(method, this.#core.legacyQuestion(method, params), {
      timeoutMs: this.#core.askTimeoutMs,
      signal: call.signal,
    });
  }

  #notify(method: string, params?: Params): void {
    // What may be sent is for the notifier to say.
    this.peer.notify(method, params, { neverRefuse: true }).catch((error: Error) => this.peer.onerror?.(error));
  }
}
