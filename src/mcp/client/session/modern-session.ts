// 2026-07-28: every request describes its client in `_meta`. The server keeps no session, and the client sends no responses: a
// question from the server is the result of a request and goes to the caller of that request.

import type { Clock } from '../../../base/clock.ts';
import { RpcError } from '../../../base/errors.ts';
import { encodeHeader } from '../../../base/header-text.ts';
import { isObject } from '../../../base/json-object.ts';
import type { Peer } from '../../../wire/jsonrpc/peer.ts';
import { mustBeKnown, unexpectedType } from '../../extensions/extension.ts';
import {
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  LOG_LEVEL,
  PROTOCOL_VERSION_KEY,
  type RequestEnvelope,
  reaches,
} from '../../meta.ts';
import { mayAsk } from '../../methods.ts';
import { ownInfo } from '../../own-info.ts';
import { McpCode } from '../../protocol-errors.ts';
import type { ModernRevision } from '../../revisions.ts';
import type { Caller, ClientFacts, Params, Result, Watcher } from '../../service.ts';
import { headersOf, valueAt } from '../../tool-headers.ts';
import type { ClientCapabilities, Implementation, InputRequiredResult, Tool } from '../../types.ts';
import { isListening, LOG_METHOD } from '../../watchers.ts';
import type { ClientOptions } from '../options.ts';
import { asResult } from '../tolerated-results.ts';
import type { Warnings } from '../warnings.ts';
import { ClientEnvelopes } from './client-envelopes.ts';
import { finishRounds } from './input-rounds.ts';
import { clientCapabilities } from './inputs.ts';
import { Listening } from './listening.ts';
import { onlyCaller } from './open-callers.ts';
import { OwnStreams, subscriptionOf } from './own-streams.ts';
import { SentRequest, type ServerFacts, Session } from './session.ts';

const DEFAULT_MAX_INPUT_ROUNDS = 10;
const DEFAULT_ACKNOWLEDGE_MS = 60_000;

export class ModernSession extends Session {
  readonly #options: ClientOptions;
  readonly #clock: Clock;
  readonly #warn: Warnings['report'];
  readonly #listening: Listening;
  readonly #own: OwnStreams;
  /** Whether the channel supports headers. */
  readonly #hasHeaders: boolean;
  readonly #envelopes = new ClientEnvelopes((client) => this.#makeEnvelope(client));

  constructor(peer: Peer, facts: ServerFacts, options: ClientOptions, clock: Clock, warn: Warnings['report']) {
    super(peer, facts);
    this.#options = options;
    this.#clock = clock;
    this.#warn = warn;
    const envelope = this.#makeEnvelope({});
    const timeoutMs = options.requestTimeoutMs ?? DEFAULT_ACKNOWLEDGE_MS;
    this.#own = new OwnStreams(peer, clock, timeoutMs);
    this.#listening = new Listening({
      clock,
      timeoutMs,
      // The request is answered when the stream ends, so it has no timeout.
      open: (notifications, signal) => {
        const listen = { _meta: envelope, notifications };
        return peer.request('subscriptions/listen', listen, { timeoutMs: Number.POSITIVE_INFINITY, signal });
      },
      reopens: peer.channel.hasPerRequestStream,
      watchers: this.watchers,
      wanted: () => this.watchers.filter,
      listens: isListening,
      ended: () => this.closed.aborted || this.watchers.endListening(),
      cut: (error) => this.peer.onerror?.(error),
      missed: (filter) => this.watchers.notifyAll(filter),
      warn,
    });
    peer.onNotification('notifications/subscriptions/acknowledged', (params) => {
      if (!this.#own.acknowledged(params)) this.#listening.acknowledged(params);
    });
    peer.onNotification('notifications/cancelled', (params) => {
      if (!this.#own.cancelled(params?.requestId)) this.#listening.cancelledByServer(params?.requestId);
    });
    this.#hasHeaders = peer.channel.hasPerRequestStream === true;
    peer.answerFaults = false;
    // "Clients MUST NOT write JSON-RPC responses", and servers must not send requests.
    peer.onIgnoredRequest = (method) => {
      warn('request-ignored', `The server sent the request ${method}, which 2026-07-28 forbids; it was not answered`);
    };
  }

  request(method: string, params: Params, caller: Caller): Result | Promise<Result> {
    // The revision has neither method: the level is sent with every request, and any answer from the server serves as a ping.
    if (method === 'logging/setLevel') return {};
    if (method === 'ping') return this.#ping(caller);
    const startedMs = caller.options?.totalTimeoutMs === undefined ? 0 : this.#clock.nowMs();
    const answered = (answer: unknown) => {
      const result = asResult(answer, method);
      // Servers of earlier revisions send no resultType.
      if (result.resultType !== 'complete' && result.resultType !== undefined) {
        return this.#finish(result, method, params, caller, startedMs);
      }
      return this.#hasHeaders && method === 'tools/list' ? withoutInvalidTools(result, this.#warn) : result;
    };
    const request = this.#sent(method, params, caller);
    const isPlain = params._meta === undefined && !request.onProgress;
    if (isPlain) request.shared = this.#envelopes.of(caller.client);
    const answer = this.peer.request(method, isPlain ? params : this.#envelopes.added(params, caller.client), request);
    if (!this.#hasHeaders) return answer.then(answered);
    return answer.then(answered, async (error: unknown) => {
      if (!(await this.#mayRepeat(error, method, params, request.headers))) throw error;
      const leftMs = caller.options?.totalTimeoutMs && caller.options.totalTimeoutMs + startedMs - this.#clock.nowMs();
      const again = this.#sent(method, params, caller, leftMs);
      return answered(await this.peer.request(method, this.#envelopes.added(params, caller.client), again));
    });
  }

  /** HTTP: the server refused the request before running it, and will not refuse it again for the same reason. */
  async #mayRepeat(error: unknown, method: string, params: Params, sent: SentRequest['headers']): Promise<boolean> {
    if (!(error instanceof RpcError)) return false;
    if (error.rpcCode === McpCode.unsupportedProtocolVersion) {
      const supported = isObject(error.data) ? error.data.supported : undefined;
      return Array.isArray(supported) && supported.includes(this.facts.revision);
    }
    if (error.rpcCode !== McpCode.headerMismatch || method !== 'tools/call') return false;
    // "If the server rejects a request with a HeaderMismatch error, the client SHOULD call tools/list, then retry".
    const isOther = () => JSON.stringify(this.#headersOf(params)) !== JSON.stringify(sent);
    if (!isOther()) await this.catalogue?.reread('tools').catch(() => undefined); // the call fails with its original error
    return isOther();
  }

  #sent(method: string, params: Params, caller: Caller, totalTimeoutMs?: number): SentRequest {
    const request = new SentRequest(caller, this.wire, totalTimeoutMs);
    if (this.#hasHeaders && method === 'tools/call') request.headers = this.#headersOf(params);
    return request;
  }

  /** A tool that was not listed is called without headers. */
  #headersOf(call: Params): SentRequest['headers'] {
    return callHeaders(this.catalogue?.last('tools').get(call.name as string), call.arguments);
  }

  /** "Servers MUST implement `server/discover`." */
  async #ping(caller: Caller): Promise<Result> {
    await this.peer.request(
      'server/discover',
      this.#envelopes.added({}, caller.client),
      new SentRequest(caller, this.wire),
    );
    return {};
  }

  #finish(result: Result, method: string, params: Params, caller: Caller, startedMs: number): Result | Promise<Result> {
    if (result.resultType !== 'input_required') return mustBeKnown(result, method, caller.client);
    if (!mayAsk(method)) throw unexpectedType(method, result.resultType);
    return finishRounds(result as unknown as InputRequiredResult, {
      method,
      params: this.#envelopes.added(params, caller.client),
      caller,
      startedMs,
      handlers: this.#options,
      maxInputRounds: this.#options.maxInputRounds ?? DEFAULT_MAX_INPUT_ROUNDS,
      clock: this.#clock,
      closed: this.closed,
      send: async (next, leftMs) =>
        asResult(await this.peer.request(method, next, this.#sent(method, params, caller, leftMs)), method),
      lost: () => this.peer.lost(method),
      other: (given) => mustBeKnown(given, method, caller.client),
    });
  }

  async watch(watcher: Watcher): Promise<() => Promise<void>> {
    if (watcher.filter.further === undefined) return this.#listening.watch(watcher);
    let stop: (() => Promise<void>) | undefined;
    const end = await this.#own.open(watcher, this.#makeEnvelope(watcher.client ?? {}), () => {
      void stop?.();
      watcher.ended?.();
    });
    try {
      stop = await this.#listening.watch(watcher);
    } catch (error) {
      end();
      throw error;
    }
    return async () => {
      end();
      await stop?.();
    };
  }

  /** Modern servers request the roots whenever they need them. Over HTTP each message names its client. */
  override notify(method: string, params: Params | undefined, client: ClientFacts): void {
    if (method === 'notifications/roots/list_changed') return;
    super.notify(method, this.#hasHeaders ? this.#envelopes.added(params ?? {}, client) : params);
  }

  protected override ended(): void {
    this.#listening.close();
  }

  protected override accepts(params: Params | undefined): boolean {
    return this.#listening.accepts(params);
  }

  protected override other(method: string, params: Params | undefined): void {
    if (this.#own.notified(method, params)) return;
    const stream = subscriptionOf(params);
    // The stream belonged to one client and has ended: its notifications are private.
    if (stream !== undefined && !this.#listening.isCurrent(stream)) return;
    const { receivedFor } = this.peer.channel;
    const request = receivedFor === undefined ? undefined : this.peer.pendingRequest(receivedFor)?.options;
    if (!(request instanceof SentRequest)) return super.other(method, params);
    const { id } = request.caller.client.identity;
    this.watchers.notify(method, params, ({ client }) => client === undefined || client.identity.id === id);
  }

  protected override logged(params: Params | undefined): void {
    const level = params?.level;
    const wants = ({ client: { logLevel } }: Caller) => logLevel !== undefined && reaches(level, logLevel);
    // HTTP: the message arrived on the stream of its request.
    const { receivedFor } = this.peer.channel;
    const request = receivedFor === undefined ? undefined : this.peer.pendingRequest(receivedFor)?.options;
    if (request instanceof SentRequest) return wants(request.caller) ? request.caller.log(params!) : undefined;
    const caller = onlyCaller(this.peer, wants);
    // The request of the message was answered before. Its client is not known, so only this program gets the message.
    if (!caller) return this.watchers.notify(LOG_METHOD, params, ({ client }) => client === undefined);
    if (caller !== 'several') return caller.log(params!);
    this.#warn(
      'log-of-several',
      'Log messages arrived while several clients waited for answers, so no client got them',
    );
  }

  /** Declares the handlers of the connection too: they answer questions that the client of a request cannot. */
  #makeEnvelope({ capabilities, info, logLevel }: Partial<ClientFacts>): RequestEnvelope {
    const own = this.#options;
    const declared = { ...clientCapabilities(own, 'modern'), ...capabilities };
    const envelope = makeEnvelope(this.facts.revision as ModernRevision, info ?? own.info ?? ownInfo, declared);
    if (logLevel !== undefined) envelope[LOG_LEVEL] = logLevel;
    return envelope;
  }
}

export function makeEnvelope(
  revision: ModernRevision,
  info: Implementation,
  capabilities: ClientCapabilities,
): RequestEnvelope {
  return { [PROTOCOL_VERSION_KEY]: revision, [CLIENT_INFO]: info, [CLIENT_CAPABILITIES]: capabilities };
}

/**
 * 2026-07-28 over HTTP: calls repeat arguments in `Mcp-Param-…` headers, for tools that were listed before. Returns
 * undefined if the tool is unknown or has no headers.
 */
function callHeaders(tool: Tool | undefined, args: unknown): Record<string, string> | undefined {
  const declared = tool && headersOf(tool);
  if (!declared?.length || typeof declared === 'string') return undefined;
  const headers: Record<string, string> = {};
  for (const { name, path } of declared) {
    const value = valueAt(args, path);
    if (value !== undefined) headers[`mcp-param-${name.toLowerCase()}`] = encodeHeader(value);
  }
  return headers;
}

/** Removes tools whose headers are invalid from a result of `tools/list`: "the client MUST exclude the invalid tool". */
function withoutInvalidTools(result: Result, warn: Warnings['report']): Result {
  const { tools } = result;
  if (!Array.isArray(tools)) return result;
  const valid = (tools as Tool[]).filter((tool) => {
    const headers = typeof tool?.name === 'string' ? headersOf(tool) : [];
    if (typeof headers !== 'string') return true;
    warn('tool-left-out', `The tool ${tool.name} is left out: ${headers}`, tool.name);
    return false;
  });
  return valid.length === tools.length ? result : { ...result, tools: valid };
}
