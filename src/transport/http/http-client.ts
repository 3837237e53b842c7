// A server at an address, spoken to over Streamable HTTP: every message is a POST, and its answer is one JSON text or a stream of
// events. A drop-in for the official transport.

import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { type Evidence, PeerError, type Phase, RpcError, toError, UsageError } from '../../base/errors.ts';
import { isUnauthorized } from '../../base/unauthorized.ts';
import type { Channel, InboundFault, SendOptions } from '../../jsonrpc/channel.ts';
import type { JsonRpcMessage, RequestId } from '../../jsonrpc/message.ts';
import { MessageReader } from '../../jsonrpc/message-reader.ts';
import { messageText } from '../../jsonrpc/message-text.ts';
import { repeatedHeaders } from '../../jsonrpc/repeated-headers.ts';
import { lostRequest } from '../../requests/lost-request.ts';
import { SENT } from '../../requests/pending-requests.ts';
import { type Mask, maskValues } from '../../secrets/mask-values.ts';
import type { ExchangeObserver, WireOptions } from '../wire.ts';
import { type Authorizer, refusalOf } from './authorizer.ts';
import { EventStream } from './event-stream.ts';
import { isAnswer } from './is-answer.ts';
import { ObservedRemote } from './observed-remote.ts';

export interface HttpClientOptions
  extends Pick<WireOptions, 'maxFrameBytes' | 'maxFrameValues' | 'clock' | 'observer'> {
  url: string | URL;
  /** Sent with every request. Their values are masked in everything that people read. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** `auto`: Streamable HTTP, and HTTP+SSE of 2024-11-05 where a server refuses that. */
  transport?: 'auto' | 'http' | 'sse' | undefined;
  authorizer?: Authorizer | undefined;
  /** Further values to mask. */
  secrets?: readonly string[] | undefined;
}

const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
/** How often a request is sent again with another credential. */
const MAX_REFUSALS = 3;
const ACCEPT = 'application/json, text/event-stream';

/** One POST. */
interface Post {
  readonly id: RequestId | undefined;
  readonly method: string;
  request: ClientRequest | undefined;
  seen: ExchangeObserver | undefined;
  /** Its answer came. */
  isAnswered: boolean;
  /** Why it got no credential. The server refused it before, or it was never sent: it has not run. */
  unauthorized: Error | undefined;
}

export class HttpClientTransport implements Channel {
  onmessage?: (<T extends JsonRpcMessage>(message: T, extra?: object, frameBytes?: number) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  onfault?: ((fault: InboundFault) => void) | undefined;
  onlost?: ((id: RequestId, error: Error) => void) | undefined;
  sessionId?: string | undefined;
  readonly writesText = true;
  readonly sendsHeaders = true;
  readonly url: URL;
  readonly #options: HttpClientOptions;
  readonly #agent: HttpAgent;
  readonly #mask: Mask;
  /** None where the headers have a credential already. */
  readonly #authorizer: Authorizer | undefined;
  readonly #observed: ObservedRemote | undefined;
  readonly #reader: MessageReader;
  readonly #posts = new Map<RequestId, Post>();
  readonly #open = new Set<Post>();
  #phase: Phase = 'startup';
  #version: string | undefined;
  /** The POST whose answer is being read. */
  #current: Post | undefined;
  #isOpen = false;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.url = urlOf(options.url);
    this.#agent =
      this.url.protocol === 'https:' ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
    const { headers = {}, secrets = [], maxFrameBytes = DEFAULT_MAX_BYTES, maxFrameValues } = options;
    const hasCredential = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
    this.#authorizer = hasCredential ? undefined : options.authorizer;
    this.#mask = maskValues({}, [...Object.values(headers), ...secrets]);
    const report = (thrown: unknown) => this.onerror?.(toError(thrown));
    this.#observed = options.observer && new ObservedRemote(options.observer, headers, this.#mask, report);
    const limits = maxFrameValues === undefined ? { maxFrameBytes } : { maxFrameBytes, maxFrameValues };
    this.#reader = new MessageReader(
      { ...limits, toleratesNoise: false },
      {
        message: (message, bytes) => this.#message(message, bytes),
        batch: (messages, faults, bytes) => {
          for (const fault of faults) this.onfault?.(fault);
          for (const message of messages) this.#message(message, bytes);
        },
        fault: (fault) => this.#fault(fault),
        noise: () => undefined,
      },
    );
  }

  evidence(): Evidence {
    return { phase: this.#phase };
  }

  mask(text: string): string {
    return this.#mask(text);
  }

  setProtocolVersion(version: string): void {
    this.#version = version;
    this.#observed?.learned({ transport: 'http', revision: version });
  }

  start(): Promise<void> {
    this.#isOpen = true;
    this.#observed?.connected(this.url);
    return Promise.resolve();
  }

  /** What becomes of a request is reported by `onlost`, or by an answer. */
  send(message: JsonRpcMessage, options?: SendOptions): Promise<void> {
    const text = messageText(message);
    if (typeof text !== 'string') return Promise.reject(text);
    if (!this.#isOpen) return Promise.reject(new UsageError('TRANSPORT_CLOSED', 'The transport is closed'));
    void this.#post(message, text, options?.headers);
    return SENT;
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#phase = 'closing';
    for (const post of this.#open) post.request?.destroy();
    this.#agent.destroy();
    this.#observed?.disconnected();
    this.onclose?.();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #post(message: JsonRpcMessage, text: string, headers: SendOptions['headers']): Promise<void> {
    const method = 'method' in message ? message.method : '';
    const id = 'method' in message && 'id' in message ? message.id : undefined;
    const post: Post = { id, method, request: undefined, seen: undefined, isAnswered: false, unauthorized: undefined };
    if (id !== undefined) this.#posts.set(id, post);
    this.#open.add(post);
    try {
      const response = await this.#authorized(post, text, { ...headers, ...repeatedHeaders(message) });
      await this.#read(post, response);
      if (!post.isAnswered && id !== undefined) throw new Error('The answer ended before it was complete');
    } catch (error) {
      this.#failed(post, toError(error));
    } finally {
      this.#open.delete(post);
      if (id !== undefined) this.#posts.delete(id);
    }
  }

  /** A request that the server refused has not run: it is sent again with a new credential. */
  async #authorized(post: Post, text: string, headers: Record<string, string> | undefined): Promise<IncomingMessage> {
    const authorizer = this.#authorizer;
    for (let refusals = 0; ; refusals++) {
      try {
        const authorization = await authorizer?.header();
        const response = await this.#exchange(post, text, { ...headers, authorization });
        const refusal = authorizer && refusals < MAX_REFUSALS ? refusalOf(response, authorization) : undefined;
        if (!authorizer || !refusal || !(await authorizer.refused(refusal))) return response;
        response.resume();
      } catch (error) {
        if (isUnauthorized(error)) post.unauthorized = error;
        throw error;
      }
    }
  }

  #exchange(post: Post, text: string, headers: Record<string, string | undefined>): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = (this.url.protocol === 'https:' ? requestHttps : requestHttp)(this.url, {
        method: 'POST',
        agent: this.#agent,
        headers: {
          'content-type': 'application/json',
          accept: ACCEPT,
          'content-length': Buffer.byteLength(text),
          ...(this.sessionId !== undefined && { 'mcp-session-id': this.sessionId }),
          ...(this.#version !== undefined && { 'mcp-protocol-version': this.#version }),
          ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
          ...this.#options.headers,
        },
      });
      post.request = request;
      post.seen = this.#observed?.exchange(request, this.url, text, post.seen);
      request.on('response', resolve);
      request.on('error', reject);
      request.end(text);
    });
  }

  #read(post: Post, response: IncomingMessage): Promise<void> {
    const session = response.headers['mcp-session-id'];
    if (post.method === 'initialize' && typeof session === 'string') {
      this.sessionId = session;
      this.#observed?.learned({ transport: 'http', session });
    }
    const status = response.statusCode!;
    const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
    return new Promise((resolve, reject) => {
      response.on('error', reject);
      if (isStream && status === 200) {
        const events = new EventStream(this.#sink(post), this.#options.maxFrameBytes ?? DEFAULT_MAX_BYTES);
        response.on('data', (chunk: Buffer) => events.push(chunk));
        response.on('end', resolve);
        return;
      }
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
        if (status === 202 || body.length === 0) {
          if (status < 300) return resolve();
          return reject(new PeerError('CONNECTION_CLOSED', `The server answered with HTTP status ${status}`));
        }
        post.seen?.received(body, 0, body.length);
        this.#current = post;
        if (status >= 300 && !isAnswer(body)) {
          reject(new PeerError('CONNECTION_CLOSED', `The server answered with HTTP status ${status}`));
        } else {
          this.#reader.frame(body, 0);
          resolve();
        }
        this.#current = undefined;
      });
    });
  }

  #sink({ seen }: Post) {
    return {
      data: (chunk: Uint8Array, start: number, end: number) => {
        seen?.received(chunk, start, end);
        this.#reader.span(chunk, start, end, 0);
      },
      other: () => undefined,
      id: () => undefined,
      retry: () => undefined,
      tooLong: (bytes: number) =>
        this.onerror?.(new PeerError('FRAME_TOO_LONG', `An event of ${bytes} bytes is longer than allowed`)),
    };
  }

  #message(message: JsonRpcMessage, bytes: number): void {
    this.#phase = 'running';
    if (!('method' in message)) {
      // An error without an id belongs to the request whose answer it is.
      const id = message.id ?? this.#current?.id;
      const post = id === undefined || id === null ? undefined : this.#posts.get(id);
      if (post) post.isAnswered = true;
      if (message.id === undefined || message.id === null) {
        const { error } = message as { error?: { code: number; message: string; data?: unknown } };
        if (post?.id !== undefined && error) {
          this.onlost?.(post.id, new RpcError(error.code, error.message, error.data));
          return;
        }
      }
    }
    this.onmessage?.(message, undefined, bytes);
  }

  #fault(fault: InboundFault): void {
    const id = fault.id ?? this.#current?.id;
    const post = id === undefined ? undefined : this.#posts.get(id);
    if (post) post.isAnswered = true;
    this.onfault?.({ ...fault, id, isResponse: true });
  }

  #failed(post: Post, error: Error): void {
    if (post.isAnswered) return;
    if (post.id === undefined) {
      if (this.#isOpen) this.onerror?.(error);
      return;
    }
    const isSent = (post.request?.socket?.bytesWritten ?? 0) > 0;
    const evidence = this.evidence();
    const lost = post.unauthorized
      ? post.unauthorized
      : isSent
        ? lostRequest(post.method, { closedByUs: !this.#isOpen, cause: error, evidence })
        : new PeerError('NOT_SENT', `${post.method} was never sent: ${error.message}`, { cause: error, evidence });
    this.onlost?.(post.id, lost);
  }
}

function urlOf(given: string | URL): URL {
  const url = URL.canParse(String(given)) ? new URL(String(given)) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new UsageError('INVALID_OPTION', 'url: the address of a server begins with http:// or https://');
}
