// A server at an address, used over Streamable HTTP: each message is a POST, and its answer is one JSON text or a stream of events.
// A drop-in for the official transport. A server of 2024-11-05 is used over HTTP+SSE.

import type { IncomingMessage } from 'node:http';
import { type Evidence, PeerError, toError, UsageError } from '../../base/errors.ts';
import type { Channel, InboundFault, SendOptions } from '../../jsonrpc/channel.ts';
import type { JsonRpcMessage, RequestId } from '../../jsonrpc/message.ts';
import { messageText } from '../../jsonrpc/message-text.ts';
import { repeatedHeaders } from '../../jsonrpc/repeated-headers.ts';
import { SENT } from '../../requests/pending-requests.ts';
import { endSession } from './end-session.ts';
import { EventReader } from './event-reader.ts';
import { GetStream, type StreamEnd } from './get-stream.ts';
import type { HttpClientOptions } from './http-client-options.ts';
import { HttpConnection } from './http-connection.ts';
import { Incoming, type IncomingOwner } from './incoming.ts';
import { LegacySse } from './legacy-sse.ts';
import { Post, type Posted, type PostOwner } from './post.ts';
import { PostQueue } from './post-queue.ts';
import { judge } from './refused-post.ts';

export type { HttpClientOptions } from './http-client-options.ts';

export class HttpClientTransport implements Channel, PostOwner, IncomingOwner {
  onmessage?: (<T extends JsonRpcMessage>(message: T, extra?: object, frameBytes?: number) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  onfault?: ((fault: InboundFault) => void) | undefined;
  onlost?: ((id: RequestId, error: Error) => void) | undefined;
  closeError: Error | undefined;
  readonly writesText = true;
  readonly sendsHeaders = true;
  readonly httpSymptoms = () => this.connection.symptoms;
  readonly connection: HttpConnection;
  readonly #options: HttpClientOptions;
  readonly #incoming: Incoming;
  readonly #queue: PostQueue;
  #stream: GetStream | undefined;
  #sse: LegacySse | undefined;
  #state: 'new' | 'open' | 'closed' = 'new';
  #closing: Promise<void> | undefined;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.connection = new HttpConnection(options, (thrown) => this.onerror?.(toError(thrown)));
    this.#incoming = new Incoming(this, options);
    this.#queue = new PostQueue(options);
  }

  /** Without credentials. */
  get url(): URL {
    return this.connection.url;
  }

  get sessionId(): string | undefined {
    return this.connection.session.id;
  }

  evidence(): Evidence {
    return this.connection.evidence();
  }

  mask(text: string): string {
    return this.connection.mask(text);
  }

  setProtocolVersion(version: string): void {
    this.connection.session.version = version;
    this.#incoming.version = version;
    this.connection.observed?.learned({ transport: this.#sse ? 'http+sse' : 'http', revision: version });
  }

  async start(): Promise<void> {
    if (this.#state !== 'new') {
      throw new UsageError('ALREADY_STARTED', 'HttpClientTransport already started', {
        hint: 'connect() of a client calls start() itself. A new connection needs a new transport.',
      });
    }
    this.#state = 'open';
    await this.connection.open();
    if (this.#options.transport === 'sse') await this.#openSse();
  }

  /** A request fails by `onlost` where that is set, and by the promise otherwise. */
  send(message: JsonRpcMessage, options?: object): Promise<void> {
    const text = messageText(message);
    if (typeof text !== 'string') return Promise.reject(text);
    if (this.#state !== 'open') return Promise.reject(this.#notOpen());
    const method = 'method' in message ? message.method : 'an answer';
    const id = 'method' in message && 'id' in message ? message.id : undefined;
    if (id === undefined && method === 'notifications/cancelled') {
      const cancelled = this.#queue.get((message as { params?: { requestId?: RequestId } }).params?.requestId);
      if (cancelled) return this.#cancel(cancelled, { id, method, text, own: undefined });
    }
    const repeated = repeatedHeaders(message);
    const headers = (options as SendOptions | undefined)?.headers;
    const own = repeated && headers ? { ...headers, ...repeated } : repeated;
    const posted: Posted = { id, method, text, own, to: this.#sse?.to };
    if (id === undefined || !this.onlost) return this.#postAndWait(posted, options);
    const refused = this.#post(posted, options);
    return refused ? Promise.reject(refused) : SENT;
  }

  /** Ends the session at the server, where it has one. The connection can still be used for a new one. */
  async terminateSession(): Promise<void> {
    if (this.connection.session.id !== undefined) await endSession(this.connection);
    this.connection.session.id = undefined;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  received(post: Post, chunk: Uint8Array, start: number, end: number): void {
    this.#incoming.read(post, chunk, start, end);
  }

  tooLong(post: Post, bytes: number): void {
    this.#incoming.tooLong(post, bytes);
  }

  accepted(post: Post, response: IncomingMessage): void {
    this.connection.accepted();
    if (post.method === 'initialize') this.connection.beginSession(response.headers['mcp-session-id']);
    if (post.id !== undefined) return;
    post.posted.settle?.resolve();
    // 2026-07-28 has no such message, and no stream of the server.
    if (post.method === 'notifications/initialized' && !this.#sse) this.#listen();
  }

  refused(post: Post, response: IncomingMessage, body: Buffer): void {
    const hasSession = this.connection.session.id !== undefined && post.posted.own === undefined;
    const judgement = judge(post, response, body, {
      hasSession,
      evidence: this.evidence(),
      mask: this.connection.mask,
    });
    if (judgement.kind === 'answer') return this.#incoming.read(post, body, 0, body.length);
    if (judgement.kind === 'session-ended') {
      const message = `The server ended the session — ${post.method} did not run`;
      post.lose(new PeerError('NOT_SENT', message, { evidence: this.evidence(), hint: 'Connect again.' }));
      return this.sessionEnded();
    }
    this.connection.status = judgement.status;
    const mayBeSse = this.#options.transport !== 'http' && !this.#sse && [400, 404, 405].includes(judgement.status);
    if (post.method !== 'initialize' || !mayBeSse || judgement.isMcp) return post.lose(judgement.error);
    this.#openSse().then(
      () => this.#repost(post),
      () => post.lose(judgement.error),
    );
  }

  lost(post: Post, error: Error): void {
    this.#queue.settled(post);
    const { id, settle } = post.posted;
    if (settle) settle.reject(error);
    else if (id !== undefined) this.onlost?.(id, error);
  }

  over(post: Post): void {
    this.#queue.over(post);
  }

  sessionEnded(): void {
    this.connection.session.id = undefined;
    this.#end(new PeerError('CONNECTION_CLOSED', 'The server ended the session', { evidence: this.evidence() }));
  }

  waiting(id: RequestId): Post | undefined {
    return this.#sse && this.#queue.get(id);
  }

  answered(post: Post): void {
    post.isSettled = true;
    this.#queue.settled(post);
    post.posted.settle?.resolve();
  }

  #postAndWait(posted: Posted, options: object | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const refused = this.#post({ ...posted, settle: { resolve, reject } }, options);
      if (refused) reject(refused);
    });
  }

  #post(posted: Posted, options: object | undefined): PeerError | undefined {
    const post = new Post(this, posted);
    const refused = this.#queue.add(post, (options as SendOptions | undefined)?.neverRefuse === true);
    return refused;
  }

  /** The same message, over HTTP+SSE. */
  #repost(post: Post): void {
    if (post.isSettled) return;
    this.#queue.settled(post);
    post.isSettled = true;
    this.#queue.add(new Post(this, { ...post.posted, to: this.#sse!.to }), true);
  }

  /** The server stops when it has the notification; what was never sent needs none. */
  #cancel(post: Post, posted: Posted): Promise<void> {
    const isStarted = this.#queue.withdraw(post);
    post.isSettled = true;
    this.#queue.settled(post);
    post.posted.settle?.resolve();
    if (!isStarted) return SENT;
    // 2026-07-28: the end of its stream cancels a request.
    if (post.posted.own !== undefined) {
      post.close();
      return SENT;
    }
    return this.#postAndWait({ ...posted, to: this.#sse?.to }, undefined).finally(() => post.close());
  }

  /** Messages of the server that belong to no request. */
  #listen(): void {
    const reader = new EventReader(
      {
        message: (chunk, start, end) => this.#incoming.read(undefined, chunk, start, end),
        tooLong: (bytes) => this.#incoming.tooLong(undefined, bytes),
      },
      this.connection.maxBytes,
    );
    this.#stream?.close();
    this.#stream = new GetStream(this.connection, reader, (end) => this.#streamOver(end));
    // What a server sends because of a request is lost while there is no stream for it.
    this.#queue.hold();
    void this.#stream.begin().then(() => this.#queue.release());
  }

  #streamOver({ status, error, isSessionOver, isUnreachable }: StreamEnd): void {
    this.#stream = undefined;
    if (status === 405) return; // it has none
    if (isSessionOver) return this.sessionEnded();
    const { message } = error;
    if (isUnreachable) {
      const text = `The server cannot be reached: ${message}`;
      return this.#end(new PeerError('CONNECTION_CLOSED', text, { cause: error, evidence: this.evidence() }));
    }
    this.onerror?.(
      new PeerError('STREAM_FAILED', `No stream for messages of the server: ${message}`, { cause: error }),
    );
  }

  async #openSse(): Promise<void> {
    const sse = new LegacySse(this.connection, {
      message: (chunk, start, end) => this.#incoming.read(undefined, chunk, start, end),
      tooLong: (bytes) => this.#incoming.tooLong(undefined, bytes),
      ended: (cause) =>
        this.#end(new PeerError('CONNECTION_CLOSED', cause.message, { cause, evidence: this.evidence() })),
    });
    this.#sse = sse;
    try {
      await sse.open();
    } catch (error) {
      this.#sse = undefined;
      const message = `Could not open the stream of HTTP+SSE: ${this.connection.mask(toError(error).message)}`;
      throw new PeerError('CONNECTION_CLOSED', message, { cause: error, evidence: this.evidence() });
    }
  }

  #notOpen(): UsageError {
    if (this.#state === 'new') return new UsageError('NOT_STARTED', 'The transport was not started');
    return new UsageError('TRANSPORT_CLOSED', 'The transport is closed');
  }

  #stop(cause: Error, closedByUs: boolean): void {
    this.#state = 'closed';
    this.#stream?.close();
    this.#queue.end((post) => post.fail(cause, closedByUs));
    this.#sse?.close();
  }

  /** The connection is over, and not by us. */
  #end(error: Error): void {
    if (this.#state !== 'open') return;
    this.closeError = error;
    this.#stop(error, false);
    this.connection.connector.destroy();
    this.#closing = SENT;
    this.connection.observed?.disconnected(error.message);
    this.onclose?.();
  }

  async #close(): Promise<void> {
    const wasOpen = this.#state === 'open';
    this.connection.phase = 'closing';
    this.#stop(new Error('The connection was closed'), true);
    if (!wasOpen) return;
    if (this.connection.session.id !== undefined) await endSession(this.connection).catch(() => undefined); // it ends by itself in the end
    this.connection.connector.destroy();
    this.connection.observed?.disconnected();
    this.onclose?.();
  }
}
