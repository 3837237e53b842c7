// A typed MCP client: typed methods over a service, the same for every revision. `connect` creates a client for the server that it
// connects to; `clientOf` creates one for any service.

import { systemClock } from '../../base/clock.ts';
import { RpcError, UsageError } from '../../base/errors.ts';
import { metaOf } from '../../base/json-object.ts';
import type { NotificationHandler } from '../../wire/jsonrpc/notification-listeners.ts';
import { isSilence } from '../../wire/requests/lost-request.ts';
import { Catalogue } from '../catalogue.ts';
import { type CallHandle, type CallHandleOption, defaultExtensions } from '../extensions/default-extensions.ts';
import {
  type Extension,
  finishCall,
  isOfExtension,
  layered,
  listingCapabilities,
  type ToolCall,
  withDefaults,
  withExtensions,
} from '../extensions/extension.ts';
import type { ListKind } from '../methods.ts';
import { ownInfo } from '../own-info.ts';
import { eraOf, NEWEST_MODERN } from '../revisions.ts';
import { type ClientFacts, newClient, type Params, type Result, type Service, type ServiceFacts } from '../service.ts';
import type {
  CallToolResult,
  Completion,
  CompletionReference,
  GetPromptResult,
  LogLevel,
  LogMessage,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from '../types.ts';
import { ClientCall } from './client-call.ts';
import type { ClientLink, Connection } from './connection.ts';
import { Listeners } from './listeners.ts';
import type {
  CallOptions,
  ClientChannel,
  ClientOptions,
  ListenerOptions,
  ListOptions,
  ResourceUpdate,
} from './options.ts';
import { OutputCheck } from './output-check.ts';
import { clientCapabilities } from './session/inputs.ts';
import type { ServerFacts } from './session/session.ts';
import { asResult, readCompletion, readMcpCallResult, readWithList } from './tolerated-results.ts';
import type { AnyTools, ToolArguments, ToolName, ToolResult, ToolTypes } from './tool-types.ts';
import { type Warning, Warnings } from './warnings.ts';

export class Client<T extends ClientChannel = ClientChannel, Tools extends ToolTypes = AnyTools> {
  /** Answers the requests from this client. */
  readonly service: Service;
  readonly server: ServerFacts;
  readonly transport: T;
  /** @internal The lists of the server. */
  readonly catalogue: Catalogue;
  /** Called once, when the connection has ended, with the reason. */
  onclose: ((cause: Error | undefined) => void) | undefined;
  /** Resolves when the connection has ended: with the reason, or with undefined after `close`. */
  readonly closed: Promise<Error | undefined>;
  readonly #link: ClientLink | undefined;
  readonly #news: Listeners;
  readonly #outputs: OutputCheck | undefined;
  readonly #warnings: Warnings;
  readonly #declaresRoots: boolean;
  readonly #options: ClientOptions;
  readonly #owner: { facts: ClientFacts; handlers: ClientOptions; logged: (params: Params) => void };
  #onerror: ((error: Error) => void) | undefined;
  #ended!: (cause?: Error) => void;

  /** @internal */
  constructor(service: Service, server: ServerFacts, given: ClientOptions = {}, connection?: Connection<T>) {
    const options = withExtensions(given);
    const { checkOutput = true, info = ownInfo } = options;
    this.service = service;
    this.server = server;
    this.transport = connection?.transport as T;
    this.#options = options;
    this.#link = connection?.link;
    this.#warnings = connection?.warnings ?? new Warnings(options.onWarning);
    this.#declaresRoots = options.roots !== undefined;
    const { revision, era } = server;
    this.#owner = {
      facts: {
        identity: options.identity ?? newClient(),
        revision,
        info,
        capabilities: clientCapabilities(options, era),
        logLevel: undefined,
      },
      handlers: options,
      logged: (params) => this.#news.logged(params),
    };
    this.closed = new Promise((resolve) => {
      this.#ended = (cause) => {
        this.#ended = () => undefined;
        resolve(cause);
        this.onclose?.(cause);
      };
    });
    if (this.#link) this.#link.onclose = (cause) => this.#ended(cause);
    const warn = this.#warnings.report;
    const isClosed = () => this.#link?.isClosed === true;
    const { facts } = this.#owner;
    const lister = { ...facts, capabilities: listingCapabilities(facts.capabilities) };
    const asker = options.shared ? { ...this.#owner, facts: lister } : this.#owner;
    const request = (method: string, params: Params, call?: CallOptions) => this.#request(method, params, call, asker);
    this.catalogue = new Catalogue({ server, service, request, isClosed }, warn, options);
    const schemaOf = (tool: string) => this.catalogue.last('tools').get(tool)?.outputSchema;
    this.#outputs = checkOutput ? new OutputCheck(schemaOf, this.#warnings, options.runBounded) : undefined;
    this.#news = new Listeners(service, {
      invalidate: (kind) => this.catalogue.changed(kind),
      endOf: () => (isClosed() ? 'connection' : 'server'),
      onError: (error) => this.onerror?.(error),
      warn,
    });
  }

  /** @internal Returns this client over another service. It can be used as long as the connection of this client. */
  withService(service: Service, extensions: readonly Extension[], server = this.server): Client<T, Tools> {
    const own = this.#link;
    const link: ClientLink = {
      onclose: undefined,
      onerror: undefined,
      get isClosed() {
        return own?.isClosed ?? false;
      },
      close: () => this.close(),
    };
    void this.closed.then((cause) => link.onclose?.(cause));
    const options = { ...this.#options, extensions, identity: this.#owner.facts.identity };
    const connection = { transport: this.transport, link, warnings: this.#warnings };
    return new Client(layered(service, extensions), server, options, connection);
  }

  /** Called with errors that are unrelated to a call. The connection stays open. */
  get onerror(): ((error: Error) => void) | undefined {
    return this.#link ? this.#link.onerror : this.#onerror;
  }

  set onerror(listener: ((error: Error) => void) | undefined) {
    if (this.#link) this.#link.onerror = listener;
    else this.#onerror = listener;
  }

  /** Deviations of the server from the protocol that were tolerated. */
  get warnings(): readonly Warning[] {
    return this.#warnings.list;
  }

  /** @internal Reports something about the server, once for each detail. */
  warn(topic: string, message: string, detail: string): void {
    this.#warnings.report(topic, message, detail);
  }

  /** Returns all pages. The list is cached for as long as the server allows. */
  async listTools(options?: ListOptions): Promise<{ tools: Tool[] }> {
    return { tools: [...(await this.catalogue.read('tools', options))] };
  }

  async listResources(options?: ListOptions): Promise<{ resources: Resource[] }> {
    return { resources: [...(await this.catalogue.read('resources', options))] };
  }

  async listResourceTemplates(options?: ListOptions): Promise<{ resourceTemplates: ResourceTemplate[] }> {
    return { resourceTemplates: [...(await this.catalogue.read('resourceTemplates', options))] };
  }

  async listPrompts(options?: ListOptions): Promise<{ prompts: Prompt[] }> {
    return { prompts: [...(await this.catalogue.read('prompts', options))] };
  }

  /** With `task: 'handle'`: resolves with a handle as soon as the server has accepted the call. */
  callTool<N extends ToolName<Tools>>(
    name: N,
    args: Tools[N]['input'] | undefined,
    options: CallOptions & CallHandleOption,
  ): Promise<CallHandle>;
  /** Resolves even if the tool reports an error: then `isError` is true. */
  callTool<N extends ToolName<Tools>>(name: N, ...rest: ToolArguments<Tools[N]>): Promise<ToolResult<Tools[N]>>;
  async callTool(name: string, args?: object, options?: CallOptions): Promise<unknown> {
    const params = args === undefined ? { name } : { name, arguments: args };
    for (const { client } of this.#options.extensions ?? []) {
      const run = client?.runs?.(options, this.server, this.catalogue.last('tools').get(name));
      if (run) return run(this.toolCall(params, options));
    }
    const given = await this.#request('tools/call', params, options);
    const answer = isOfExtension(given) ? await this.#finish(given, 'tools/call', params, options) : given;
    return this.#read(name, answer, options);
  }

  /** @internal A call for extensions that run or continue it. */
  toolCall(params: Params & { name: string }, options?: CallOptions): ToolCall {
    const { name } = params;
    return {
      ...this.#unfinished('tools/call', options?.meta ? { ...params, _meta: options.meta } : params, options),
      server: this.server,
      tool: () => this.catalogue.find('tools', name),
      read: (answer) => this.#read(name, answer, options),
    };
  }

  async readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult> {
    const answer = await this.#whole('resources/read', { uri }, options);
    return readWithList<ReadResourceResult>(answer, 'contents', 'resources/read');
  }

  async getPrompt(name: string, args?: Record<string, string>, options?: CallOptions): Promise<GetPromptResult> {
    const params = args === undefined ? { name } : { name, arguments: args };
    const answer = await this.#whole('prompts/get', params, options);
    return readWithList<GetPromptResult>(answer, 'messages', 'prompts/get');
  }

  /** `context` holds the arguments that already have a value. */
  async complete(
    ref: CompletionReference,
    argument: { name: string; value: string },
    context?: Record<string, string>,
    options?: CallOptions,
  ): Promise<Completion> {
    const params = context ? { ref, argument, context: { arguments: context } } : { ref, argument };
    return readCompletion(await this.#request('completion/complete', params, options), this.#warnings.report);
  }

  /** Resolves when the server answers, even with an error. */
  async ping(options?: CallOptions): Promise<void> {
    try {
      await this.#request('ping', {}, options);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const { era, dialect } = this.server;
      if (era === 'modern' || dialect) return;
      const message = `The server answers ping with an error (${error.message}); it is running`;
      this.#warnings.report('ping-refused', message);
    }
  }

  /**
   * Whether the server answers a ping within `timeoutMs`; an error is an answer too. A server that waits for the answer to a
   * question counts as responsive, because it may read nothing else until then.
   */
  async isResponsive(timeoutMs: number): Promise<boolean> {
    try {
      await this.ping({ timeoutMs, totalTimeoutMs: timeoutMs });
      return true;
    } catch (error) {
      return this.#link?.isAsked === true || !isSilence(error);
    }
  }

  /** In 2026-07-28 the level is sent with every request from now on. In earlier revisions it is set in the server. */
  async setLogLevel(level: LogLevel, options?: CallOptions): Promise<void> {
    await this.#request('logging/setLevel', { level }, options);
    this.#owner.facts = { ...this.#owner.facts, logLevel: level };
  }

  /** Resolves once the subscription is active, with a function that ends it. */
  subscribe(
    uri: string,
    handler: (update: ResourceUpdate) => void,
    options?: ListenerOptions,
  ): Promise<() => Promise<void>> {
    return this.#news.subscribe(uri, handler, options);
  }

  /** Returns a function that removes the handler. The cached list is dropped before the handler is called. */
  onListChanged(kind: ListKind, handler: () => void, options?: ListenerOptions): () => void {
    return this.#news.onListChanged(kind, handler, options);
  }

  onLog(handler: (message: LogMessage) => void): () => void {
    return this.#news.onLog(handler);
  }

  /** Handles all other notifications. A new handler replaces the previous one. */
  onNotification(handler: NotificationHandler): void {
    this.#news.onNotification(handler);
  }

  /** Sends any other method, for instance of an extension. Resolves with the complete result. */
  async request(method: string, params: Params = {}, options?: CallOptions): Promise<Result> {
    const { _meta, ...rest } = params;
    const call = _meta ? { ...options, meta: { ...metaOf(params), ...options?.meta } } : options;
    return asResult(await (options?.unfinished ? this.#request : this.#whole).call(this, method, rest, call), method);
  }

  /** Sends nothing to a modern server: it requests the roots whenever it needs them. */
  async notifyRootsChanged(): Promise<void> {
    if (!this.#declaresRoots) throw new UsageError('NOT_SUPPORTED', 'This client declared no roots');
    this.service.notify('notifications/roots/list_changed', undefined, this.#owner.facts);
  }

  /** Resolves when the server has stopped. If the client does not own a connection, the service stays open. */
  async close(): Promise<void> {
    if (this.#link) await this.#link.close();
    else this.#ended();
  }

  /** Called at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #whole(method: string, params: Params, options?: CallOptions): Promise<Result> {
    const given = await this.#request(method, params, options);
    return isOfExtension(given) ? this.#finish(given, method, params, options) : given;
  }

  /** Continues a call whose result type belongs to an extension. */
  #finish(result: Result, method: string, params: Params, options?: CallOptions): Result | Promise<Result> {
    return finishCall(result, this.#options.extensions, this.#unfinished(method, params, options));
  }

  #unfinished(method: string, params: Params, options: CallOptions | undefined) {
    const { clock = systemClock } = this.#options;
    return { method, params, service: this.service, caller: new ClientCall(this.#owner, options), clock };
  }

  #read(name: string, answer: Result, options: CallOptions | undefined): CallToolResult | Promise<CallToolResult> {
    options?.onAnswer?.(answer);
    const result = readMcpCallResult(answer, this.#warnings.report);
    return this.#outputs ? this.#outputs.check(name, result) : result;
  }

  /** `params` must be unshared, because `_meta` is added to it. */
  #request(method: string, params: Params, options?: CallOptions, owner = this.#owner): Result | Promise<Result> {
    if (options) {
      if (options.meta) params._meta = options.meta;
      if (options.logLevel && this.server.era === 'legacy') {
        const message = `Revision ${this.server.revision} has no log level for one request: use setLogLevel`;
        this.#warnings.report('log-level-ignored', message);
      }
    }
    return this.service.request(method, params, new ClientCall(owner, options));
  }
}

/** Creates a client for any service: handlers in this process, a server behind a pipe, a host behind a socket. */
export async function clientOf(
  service: Service,
  given: ClientOptions = {},
  connection?: Connection<never>,
): Promise<Client<never>> {
  const options = given.shared ? given : { ...given, extensions: withDefaults(defaultExtensions, given.extensions) };
  const facts: ServiceFacts & Partial<ServerFacts> = await service.describe();
  const revision = facts.revision ?? NEWEST_MODERN;
  const answering = layered(service, options.extensions);
  return new Client(answering, { ...facts, revision, era: eraOf(revision) }, options, connection);
}
