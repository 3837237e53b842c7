// MCP over HTTP at one URL, for clients of every revision. Each POST of 2026-07-28 is self-contained. From 2025-03-26 to 2025-11-25 a POST
// belongs to a session. In 2024-11-05 a GET without a session opens the only stream.

import { type Clock, systemClock, type Timer } from '../../../base/clock.ts';
import { heldBytes, SHARED_MAX_FRAME_VALUES, valuesOf } from '../../../base/count-json-values.ts';
import { RpcError, toError } from '../../../base/errors.ts';
import { metaOf } from '../../../base/json-object.ts';
import {
  type ClientAdapterOptions,
  ClientAdapters,
  DEFAULT_ASK_TIMEOUT_MS,
} from '../../../mcp/adapter/client-adapters.ts';
import type { ObserveClient } from '../../../mcp/adapter/client-observer.ts';
import { bytesOfUris } from '../../../mcp/adapter/modern-subscriptions.ts';
import { CLIENT_INFO, PROTOCOL_VERSION_KEY } from '../../../mcp/meta.ts';
import { invalidParams, unsupportedVersion } from '../../../mcp/protocol-errors.ts';
import { isLegacyRevision, isModernRevision } from '../../../mcp/revisions.ts';
import { newClient, type Service } from '../../../mcp/service.ts';
import type { ToolHeader } from '../../../mcp/tool-headers.ts';
import { DEFAULT_MAX_FRAME_BYTES } from '../../../wire/framing/framing.ts';
import type { JsonRpcMessage, JsonRpcRequest, RequestId } from '../../../wire/jsonrpc/message.ts';
import { MessageFault, parseMessage } from '../../../wire/jsonrpc/parse.ts';
import { InFlight } from '../../../wire/requests/in-flight.ts';
import { Admission, type AdmissionResult, type LimitOptions, type LimitRefusal, Limits } from '../limits.ts';
import type { HttpExchange } from './exchange.ts';
import { checkedClient, refusesBody, ToolHeaders, toolHeaderMismatch } from './header-checks.ts';
import { refuseBeyond, refuseExchange, refuseRequest, refuseStopping, refuseUsedId } from './refuse.ts';
import { ModernPost } from './reply.ts';
import { HttpSession } from './session.ts';

export interface HttpGatewayOptions extends ClientAdapterOptions, LimitOptions {
  /** Maximum size of a request body. Default: 64 MiB. */
  maxBodyBytes?: number;
  /** Maximum number of JSON values in a body. Default: 250,000. */
  maxFrameValues?: number;
  /** How long a session may be unused. Default: 30 minutes. */
  sessionIdleMs?: number;
  /** Maximum characters of events that a session keeps for a reconnecting client. Default: 4 Mi. */
  maxKeptChars?: number;
  /** Interval of comments on a quiet stream, so that proxies keep it open. Default: 15 s. */
  keepAliveMs?: number;
  observeClient?: ObserveClient | undefined;
}

export function withDefaults(options: HttpGatewayOptions) {
  return {
    maxBodyBytes: options.maxBodyBytes ?? DEFAULT_MAX_FRAME_BYTES,
    maxFrameValues: options.maxFrameValues ?? SHARED_MAX_FRAME_VALUES,
    sessionIdleMs: options.sessionIdleMs ?? 30 * 60_000,
    maxKeptChars: options.maxKeptChars ?? 4 * 1024 * 1024,
    keepAliveMs: options.keepAliveMs ?? 15_000,
  };
}

const traceMembers = ['traceparent', 'tracestate', 'baggage'];
/** Longest valid value of the trace context. */
const LONGEST_TRACE_VALUE = 8192;

export class HttpGateway {
  readonly #options: ReturnType<typeof withDefaults>;
  readonly #limits: Limits;
  readonly #clock: Clock;
  /**
   * The adapters of sessions: separate from those of requests, because a suspended request of 2026-07-28 outlives its
   * connection.
   */
  readonly #sessionAdapters: ClientAdapters;
  readonly #postAdapters: ClientAdapters;
  readonly #toolHeaders: ToolHeaders;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #posts = new InFlight<number, ModernPost>();
  #lastPost = 0;
  readonly #observe: ObserveClient | undefined;
  #timer: Timer | undefined;
  #isClosed = false;

  /** `limits`: shared by several gateways. */
  constructor(service: Service, options: HttpGatewayOptions = {}, limits?: Limits) {
    const { clock = systemClock, askTimeoutMs = DEFAULT_ASK_TIMEOUT_MS } = options;
    this.#clock = clock;
    this.#limits = limits ?? new Limits(options, clock);
    this.#toolHeaders = new ToolHeaders(service);
    this.#sessionAdapters = new ClientAdapters(service, options);
    this.#postAdapters = new ClientAdapters(service, { orphanedMs: askTimeoutMs, ...options });
    this.#options = withDefaults(options);
    this.#observe = options.observeClient;
    this.#tick();
  }

  /** Never throws: failures are answered. */
  handle(exchange: HttpExchange): void {
    exchange.observe = this.#observe;
    this.#route(exchange)?.catch((error: unknown) => {
      if (error instanceof RpcError) refuseRequest(exchange, 400, undefined, error);
      else refuseExchange(exchange, 500, toError(error).message);
    });
  }

  #route(exchange: HttpExchange): Promise<void> | void {
    if (exchange.isClosed) return; // the gateway was closed during authentication: `onclose` would not be called
    if (this.#isClosed) return refuseStopping(exchange, this.#limits.retryAfterS);
    const admitted = this.#limits.admit(exchange.principal, exchange.method === 'GET' ? 'streams' : 'inFlight');
    if (admitted instanceof Promise) return admitted.then((admission) => this.#admitted(exchange, admission));
    return this.#admitted(exchange, admitted);
  }

  #admitted(exchange: HttpExchange, admission: AdmissionResult): Promise<void> | void {
    if (!(admission instanceof Admission)) return refuseBeyond(exchange, admission);
    if (exchange.isClosed) return admission.release(); // closed while the quotas were requested
    exchange.admission = admission;
    switch (exchange.method) {
      case 'POST':
        return this.#post(exchange);
      case 'GET':
        return this.#get(exchange);
      case 'DELETE':
        return this.#delete(exchange);
      default:
        return refuseExchange(exchange, 405, `${exchange.method} is not used by MCP`, { allow: 'POST, GET, DELETE' });
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await Promise.all([this.#sessionAdapters.close(), this.#postAdapters.close(), this.#toolHeaders.close()]);
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
  }

  get isIdle(): boolean {
    return this.#sessions.size === 0 && this.#posts.size === 0;
  }

  /** Ends the sessions and the requests of a principal. */
  end(principal: string): void {
    for (const session of this.#sessions.values()) if (session.client.principal === principal) void session.close();
    for (const post of this.#posts.values()) if (post.client.principal === principal) post.end();
  }

  #post(exchange: HttpExchange): Promise<void> | void {
    if (refusesBody(exchange)) return;
    const { maxBodyBytes } = this.#options;
    let beyond: LimitRefusal | undefined;
    const mayHold = (bytes: number) => {
      beyond = exchange.admission?.addBody(bytes);
      return beyond === undefined;
    };
    return exchange.text(maxBodyBytes, mayHold).then((text) => {
      if (beyond) return refuseBeyond(exchange, beyond);
      if (text === undefined) return refuseExchange(exchange, 413, `The body has more than ${maxBodyBytes} bytes`);
      return this.#postText(exchange, text);
    });
  }

  /** Not an async function: this is the path of every request. */
  #postText(exchange: HttpExchange, text: string): Promise<void> | void {
    const { maxFrameValues } = this.#options;
    const values = valuesOf(text, maxFrameValues);
    const parsed = parseMessage(text, { batches: false, arrayParams: false, maxFrameValues, values });
    if (parsed instanceof MessageFault) {
      return refuseRequest(exchange, 400, parsed.id, new RpcError(parsed.rpcCode, parsed.message));
    }
    const message = parsed as JsonRpcMessage;
    const bytes = heldBytes(text.length, values);
    const beyond = bytes > text.length ? exchange.admission?.addBody(bytes - text.length) : undefined;
    if (beyond) return refuseBeyond(exchange, beyond, idOf(message));
    if (this.#limits.isDraining && isNewRequest(message)) {
      return refuseStopping(exchange, this.#limits.retryAfterS, message.id);
    }
    if (exchange.header('traceparent') !== undefined) takeTraceContext(exchange, message);
    const meta = 'params' in message ? (message.params?._meta as Record<string, unknown> | undefined) : undefined;
    const oldSession = exchange.query?.get('sessionId');
    if (typeof oldSession === 'string') return this.#postToOneStream(exchange, oldSession, message, bytes);
    const version = exchange.header('mcp-protocol-version');
    if (meta?.[PROTOCOL_VERSION_KEY] !== undefined || isModernRevision(version)) {
      if (isRequest(message) && message.method === 'subscriptions/listen') {
        return this.#postListen(exchange, message, meta, bytes);
      }
      return this.#postModern(exchange, message, meta, bytes);
    }
    if (version !== undefined && !isLegacyRevision(version)) {
      return refuseRequest(exchange, 400, idOf(message), unsupportedVersion(version));
    }
    return this.#postToSession(exchange, message, bytes);
  }

  async #postListen(
    exchange: HttpExchange,
    message: JsonRpcRequest,
    meta: Record<string, unknown> | undefined,
    bytes: number,
  ): Promise<void> {
    const beyond = await exchange.admission?.becomeStream(bytesOfUris(message.params ?? {}));
    if (beyond) return refuseBeyond(exchange, beyond, message.id);
    return this.#postModern(exchange, message, meta, bytes);
  }

  #postModern(
    exchange: HttpExchange,
    message: JsonRpcMessage,
    meta: Record<string, unknown> | undefined,
    bytes: number,
  ): Promise<void> | void {
    const client = newClient(exchange.principal?.name, `post:${exchange.principal?.name ?? ''}`);
    const alone = { revision: meta?.[PROTOCOL_VERSION_KEY], info: meta?.[CLIENT_INFO] };
    const observed = this.#observe?.(client, { door: 'http', alone });
    exchange.belongsTo(observed);
    if (!('method' in message)) return refuseExchange(exchange, 400, 'Responses are not sent in 2026-07-28');
    if (!('id' in message)) return taken(exchange, this.#postAdapters.notified(message, client));
    if (meta?.[PROTOCOL_VERSION_KEY] === undefined) {
      const error = invalidParams(`"_meta" needs "${PROTOCOL_VERSION_KEY}"`, { missing: PROTOCOL_VERSION_KEY });
      return refuseRequest(exchange, 400, message.id, error);
    }
    const facts = checkedClient(exchange, message, meta, client);
    if (facts instanceof RpcError) return refuseRequest(exchange, 400, message.id, facts);
    const headers = this.#toolHeaders.of(message, facts);
    const serve = (required: readonly ToolHeader[] | undefined) => {
      if (exchange.isClosed) return; // the client disconnected in the meantime
      const refusal = required && toolHeaderMismatch(exchange, required, message.params?.arguments);
      if (refusal) return refuseRequest(exchange, 400, message.id, refusal);
      const post = new ModernPost(exchange, client, this.#posts, ++this.#lastPost);
      this.#postAdapters.serve(message, bytes, facts, post, observed);
    };
    return headers instanceof Promise ? headers.then(serve) : serve(headers);
  }

  #postToSession(exchange: HttpExchange, message: JsonRpcMessage, bytes: number): Promise<void> | void {
    const id = exchange.header('mcp-session-id');
    if (id === undefined && isRequest(message) && message.method === 'initialize') {
      return this.#newSession(exchange, false).then((session) =>
        session?.request(message, exchange, bytes, { 'mcp-session-id': session.id }),
      );
    }
    const session = this.#sessionFor(exchange, id);
    if (!session) return;
    if (!isRequest(message)) return taken(exchange, session.receive(message, bytes));
    if (session.isAnswering(message.id)) return refuseUsedId(exchange, message.id);
    session.request(message, exchange, bytes);
  }

  async #newSession(exchange: HttpExchange, oneStream: boolean): Promise<HttpSession | undefined> {
    const account = this.#limits.of(exchange.principal);
    const beyond = await account.takeOrAsk('sessions');
    if (beyond) return void refuseBeyond(exchange, beyond);
    const client = newClient(exchange.principal?.name);
    const session = new HttpSession(crypto.randomUUID(), client, this.#clock.nowMs(), {
      maxKeptChars: this.#options.maxKeptChars,
      oneStream,
      kept: this.#limits.kept,
      account,
    });
    this.#sessions.set(session.id, session);
    session.observed = this.#observe?.(client, { door: oneStream ? 'http+sse' : 'http' });
    exchange.belongsTo(session.observed);
    const adapter = await this.#sessionAdapters.connect(session, client, session.observed);
    void adapter.closed.then(() => {
      this.#sessions.delete(session.id);
      account.give('sessions');
    });
    return session;
  }

  async #get(exchange: HttpExchange): Promise<void> {
    if (!exchange.header('accept')?.includes('text/event-stream')) {
      return refuseExchange(exchange, 406, 'A GET opens an event stream: accept text/event-stream');
    }
    const version = exchange.header('mcp-protocol-version');
    if (isModernRevision(version)) {
      return refuseExchange(exchange, 405, `Revision ${version} has no GET: send subscriptions/listen`, {
        allow: 'POST',
      });
    }
    const id = exchange.header('mcp-session-id');
    const lastEventId = exchange.header('last-event-id');
    if (this.#limits.isDraining && lastEventId === undefined) {
      return refuseStopping(exchange, this.#limits.retryAfterS);
    }
    if (id === undefined) {
      // 2024-11-05: the first event names the URL for POSTs.
      const opened = await this.#newSession(exchange, true);
      return opened?.listen(exchange, `event: endpoint\ndata: ${exchange.path}?sessionId=${opened.id}\n\n`);
    }
    const session = this.#sessionFor(exchange, id);
    if (!session) return;
    if (lastEventId === undefined) return session.listen(exchange);
    const refusal = session.resume(lastEventId, exchange);
    if (refusal === 'unknown') {
      refuseExchange(exchange, 400, `The events after ${JSON.stringify(lastEventId)} are no longer available`);
    } else if (refusal) refuseBeyond(exchange, refusal);
  }

  async #delete(exchange: HttpExchange): Promise<void> {
    const session = this.#sessionFor(exchange, exchange.header('mcp-session-id'));
    if (!session) return;
    exchange.answer(204, {});
    await session.close();
  }

  #postToOneStream(exchange: HttpExchange, id: string, message: JsonRpcMessage, bytes: number): Promise<void> | void {
    const session = this.#ownSession(exchange, id);
    if (!session?.isOneStream) return refuseExchange(exchange, 404, 'Unknown session: connect again');
    exchange.belongsTo(session.observed);
    if (isRequest(message) && session.isAnswering(message.id)) return refuseUsedId(exchange, message.id);
    return taken(exchange, session.receive(message, bytes, exchange.admission));
  }

  /** Answers the exchange and returns undefined if the session does not exist. */
  #sessionFor(exchange: HttpExchange, id: string | undefined): HttpSession | undefined {
    const version = exchange.header('mcp-protocol-version');
    const refuse = (status: number, message: string) => void refuseExchange(exchange, status, message);
    if (version !== undefined && !isLegacyRevision(version))
      return refuse(400, `Unsupported protocol version ${version}`);
    if (id === undefined) return refuse(400, 'Send initialize first: the request has no Mcp-Session-Id');
    const session = this.#ownSession(exchange, id);
    if (!session || session.isOneStream) return refuse(404, 'Unknown session: send initialize again');
    session.usedMs = this.#clock.nowMs();
    exchange.belongsTo(session.observed);
    return session;
  }

  /** A session of another principal appears not to exist. */
  #ownSession({ principal }: HttpExchange, id: string): HttpSession | undefined {
    const session = this.#sessions.get(id);
    return session?.client.principal === principal?.name ? session : undefined;
  }

  /** Writes comments on quiet streams and ends unused sessions. */
  #tick(): void {
    this.#timer = this.#clock.after(this.#options.keepAliveMs, () => {
      const nowMs = this.#clock.nowMs();
      for (const post of this.#posts.values()) post.keepAlive();
      for (const session of this.#sessions.values()) {
        if (!session.isIdle) session.usedMs = nowMs;
        if (nowMs - session.usedMs > this.#options.sessionIdleMs) void session.close();
        else session.tick();
      }
      this.#limits.sweep();
      this.#tick();
    });
    this.#timer.keepAlive(false);
  }
}

/** Answers when the client may send its next message. Until then, the exchange counts as one in flight. */
function taken(exchange: HttpExchange, space: Promise<void> | void): Promise<void> | void {
  return space ? space.then(() => exchange.answer(202, {})) : exchange.answer(202, {});
}

function isRequest(message: JsonRpcMessage): message is JsonRpcRequest {
  return 'method' in message && 'id' in message;
}

/** Returns false for a request that continues a call after a question. */
function isNewRequest(message: JsonRpcMessage): message is JsonRpcRequest {
  return isRequest(message) && message.params?.requestState === undefined;
}

function idOf(message: JsonRpcMessage): RequestId | undefined {
  return isRequest(message) ? message.id : undefined;
}

/** Copies the trace context of HTTP headers to `_meta`, where MCP carries it. An existing value in `_meta` takes precedence. */
function takeTraceContext(exchange: HttpExchange, message: JsonRpcMessage): void {
  if (!isRequest(message)) return;
  const params = (message.params ?? {}) as Record<string, unknown>;
  const meta = metaOf(params) ?? {};
  if (meta.traceparent !== undefined) return;
  const given = traceMembers.flatMap((name) => {
    const value = exchange.header(name);
    return value === undefined || value.length > LONGEST_TRACE_VALUE ? [] : [[name, value] as const];
  });
  message.params = { ...params, _meta: { ...meta, ...Object.fromEntries(given) } };
}
