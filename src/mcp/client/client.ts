// A connected MCP client: typed calls, the same in every revision. `connect` makes it.

import { systemClock } from '../../base/clock.ts';
import { PeerError, toError, UsageError } from '../../base/errors.ts';
import type { NotificationHandler } from '../../jsonrpc/notification-listeners.ts';
import type { Peer } from '../../jsonrpc/peer.ts';
import { isSilence } from '../../requests/lost-request.ts';
import type { Era, Revision } from '../revisions.ts';
import type {
  CallToolResult,
  Completion,
  CompletionReference,
  GetPromptResult,
  Implementation,
  LogLevel,
  LogMessage,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  ServerCapabilities,
  Tool,
} from '../types.ts';
import { asResult, readCallResult, readCompletion, readWithList } from './lenient.ts';
import { Lists } from './lists.ts';
import { makeSession } from './make-session.ts';
import type { Agreement } from './negotiation.ts';
import { type ListKind, listKinds, News, type NewsOptions, type ResourceUpdate } from './news.ts';
import type { CallOptions, ClientChannel, ClientOptions, ListOptions } from './options.ts';
import { OutputCheck } from './output-check.ts';
import type { Result, Session } from './session.ts';
import type { AnyTools, ToolArguments, ToolName, ToolResult, ToolTypes } from './tool-types.ts';
import type { Warning, Warnings } from './warnings.ts';

export interface ServerFacts {
  info: Implementation;
  capabilities: ServerCapabilities;
  instructions: string | undefined;
  revision: Revision;
  era: Era;
  /** Where the server speaks the dialect of transcript-dialect.ts instead of a revision. */
  dialect?: 'transcript';
}

export class Client<T extends ClientChannel = ClientChannel, Tools extends ToolTypes = AnyTools> {
  readonly server: ServerFacts;
  readonly transport: T;
  /** The connection is over, for whatever reason. Called once. */
  onclose: ((cause: Error | undefined) => void) | undefined;
  /** Settles with the connection: with the reason, unless we closed it. */
  readonly closed: Promise<Error | undefined>;
  readonly #peer: Peer;
  readonly #session: Session;
  readonly #news: News;
  readonly #lists: Lists;
  readonly #outputs: OutputCheck | undefined;
  readonly #warnings: Warnings;
  readonly #declaresRoots: boolean;
  readonly #logHandlers = new Set<(message: LogMessage) => void>();

  /** @internal */
  constructor(peer: Peer, transport: T, agreement: Agreement, options: ClientOptions, warnings: Warnings) {
    const { server, revision, dialect } = agreement;
    const { clock = systemClock, checkOutput = true } = options;
    const { maxPages = 1_000, maxItems = 100_000, maxListBytes = 256 * 1024 * 1024 } = options;
    const warn = warnings.report;
    this.#peer = peer;
    this.transport = transport;
    this.#warnings = warnings;
    this.#declaresRoots = options.roots !== undefined;
    const ended = new AbortController();
    this.closed = new Promise((resolve) => {
      peer.onclose = (cause) => {
        ended.abort(cause ?? new PeerError('CONNECTION_CLOSED', 'The connection closed'));
        resolve(cause);
        this.#news.ended('connection');
        this.onclose?.(cause);
      };
    });
    peer.onerror = undefined;
    this.#news = new News((error) => this.onerror?.(error));
    const parts = { peer, agreement, options, clock, closed: ended.signal, news: this.#news, warn };
    const { session, follower, accepts } = makeSession(parts);
    this.#session = session;
    this.#news.follower = follower;
    const { info, capabilities, instructions } = server;
    this.server = { info, capabilities, instructions, revision, era: session.era, ...(dialect && { dialect }) };
    this.#outputs = checkOutput ? new OutputCheck(warnings) : undefined;
    const onTools = (tools: Tool[]) => this.#outputs?.learn(tools);
    this.#lists = new Lists(session, server, { clock, warn, maxPages, maxItems, maxListBytes, onTools });
    this.#receiveNews(accepts);
  }

  /** Something went wrong that no call can be blamed for. The connection goes on. */
  get onerror(): ((error: Error) => void) | undefined {
    return this.#peer.onerror;
  }

  /** Held by the peer alone: it makes no errors that have no listener, however many a server is good for. */
  set onerror(listener: ((error: Error) => void) | undefined) {
    this.#peer.onerror = listener;
  }

  /** What was bent to understand this server. */
  get warnings(): readonly Warning[] {
    return this.#warnings.list;
  }

  /** All of them, remembered while the server lets us. */
  async listTools(options?: ListOptions): Promise<{ tools: Tool[] }> {
    return { tools: await this.#lists.get('tools', options) };
  }

  async listResources(options?: ListOptions): Promise<{ resources: Resource[] }> {
    return { resources: await this.#lists.get('resources', options) };
  }

  async listResourceTemplates(options?: ListOptions): Promise<{ resourceTemplates: ResourceTemplate[] }> {
    return { resourceTemplates: await this.#lists.get('resourceTemplates', options) };
  }

  async listPrompts(options?: ListOptions): Promise<{ prompts: Prompt[] }> {
    return { prompts: await this.#lists.get('prompts', options) };
  }

  /** Resolves also when the tool reports an error: then `isError` is true. */
  callTool<N extends ToolName<Tools>>(name: N, ...rest: ToolArguments<Tools[N]>): Promise<ToolResult<Tools[N]>>;
  async callTool(name: string, args?: object, options?: CallOptions): Promise<CallToolResult> {
    const params = args === undefined ? { name } : { name, arguments: args };
    const result = readCallResult(await this.#session.request('tools/call', params, options), this.#warnings.report);
    return this.#outputs?.concerns(name, result) ? this.#outputs.check(name, result) : result;
  }

  async readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult> {
    const answer = await this.#session.request('resources/read', { uri }, options);
    return readWithList<ReadResourceResult>(answer, 'contents', 'resources/read');
  }

  async getPrompt(name: string, args?: Record<string, string>, options?: CallOptions): Promise<GetPromptResult> {
    const params = args === undefined ? { name } : { name, arguments: args };
    const answer = await this.#session.request('prompts/get', params, options);
    return readWithList<GetPromptResult>(answer, 'messages', 'prompts/get');
  }

  /** `context`: the arguments that already have a value. */
  async complete(
    ref: CompletionReference,
    argument: { name: string; value: string },
    context?: Record<string, string>,
    options?: CallOptions,
  ): Promise<Completion> {
    const params = context ? { ref, argument, context: { arguments: context } } : { ref, argument };
    return readCompletion(await this.#session.request('completion/complete', params, options), this.#warnings.report);
  }

  /** Resolves when the server answers, in whichever way its revision has for it. */
  ping(options?: CallOptions): Promise<void> {
    return this.#session.ping(options);
  }

  /**
   * Whether the server answers a ping within `timeoutMs`; an error is an answer too. While the server waits for the answer to a
   * question, it counts as responsive: it may read nothing else before.
   */
  async isResponsive(timeoutMs: number): Promise<boolean> {
    try {
      await this.ping({ timeoutMs, totalTimeoutMs: timeoutMs });
      return true;
    } catch (error) {
      return this.#peer.isAsked || !isSilence(error);
    }
  }

  setLogLevel(level: LogLevel, options?: CallOptions): Promise<void> {
    return this.#session.setLogLevel(level, options);
  }

  /** Resolves, once updates will come, to a function that ends them. */
  subscribe(
    uri: string,
    handler: (update: ResourceUpdate) => void,
    options?: NewsOptions,
  ): Promise<() => Promise<void>> {
    return this.#news.subscribe(uri, handler, options);
  }

  /** Returns a function that ends it. Remembered lists are forgotten before the handler is called. */
  onListChanged(kind: ListKind, handler: () => void, options?: NewsOptions): () => void {
    return this.#news.onListChanged(kind, handler, options);
  }

  onLog(handler: (message: LogMessage) => void): () => void {
    this.#logHandlers.add(handler);
    return () => this.#logHandlers.delete(handler);
  }

  /** Any other notification. */
  onNotification(handler: NotificationHandler): void {
    this.#peer.onOtherNotification(handler);
  }

  /** Any other method: of an extension, say. Resolves to the complete result. */
  async request(method: string, params: Record<string, unknown> = {}, options?: CallOptions): Promise<Result> {
    const { _meta, ...rest } = params;
    const call = _meta ? { ...options, meta: { ..._meta, ...options?.meta } } : options;
    return asResult(await this.#session.request(method, rest, call), method);
  }

  /** Modern servers ask for the roots whenever they need them; there is nothing to tell them. */
  async notifyRootsChanged(): Promise<void> {
    if (!this.#declaresRoots) throw new UsageError('NOT_SUPPORTED', 'This client declared no roots');
    if (this.server.era === 'legacy') await this.#peer.notify('notifications/roots/list_changed');
  }

  /** Resolves when the server is gone. */
  close(): Promise<void> {
    return this.#peer.close();
  }

  /** For `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #receiveNews(accepts: NotificationHandlerGuard): void {
    for (const kind of listKinds) {
      this.#peer.onNotification(`notifications/${kind}/list_changed`, (params) => {
        this.#lists.invalidate(kind);
        if (accepts(params)) this.#news.listChanged(kind);
      });
    }
    this.#peer.onNotification('notifications/resources/updated', (params) => {
      if (typeof params?.uri === 'string' && accepts(params)) this.#news.updated(params as ResourceUpdate);
    });
    this.#peer.onNotification('notifications/message', (params) => {
      for (const handler of [...this.#logHandlers]) this.#guard(() => handler(params as unknown as LogMessage));
    });
  }

  #guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.onerror?.(toError(error));
    }
  }
}

type NotificationHandlerGuard = (params: Record<string, unknown> | undefined) => boolean;
