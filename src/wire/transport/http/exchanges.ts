// Message traffic of one HTTP transport: POSTs and their answers, the server's event stream, HTTP+SSE and closing.

import type { IncomingMessage } from 'node:http';
import { PeerError, toError } from '../../../base/errors.ts';
import type { Channel, SendOptions } from '../../jsonrpc/channel.ts';
import type { JsonRpcMessage, RequestId } from '../../jsonrpc/message.ts';
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
import { judgeRefusedPost } from './refused-post.ts';
import { repeatedHeaders } from './repeated-headers.ts';
import { type RenewalOwner, SessionRenewal } from './session-renewal.ts';

/** The transport as its user sees it. */
export interface HttpChannel extends Pick<Channel, 'onfault' | 'onlost' | 'onerror' | 'onclose' | 'onrenewed'> {
  onmessage?: ((message: JsonRpcMessage, extra?: object, frameBytes?: number) => void) | undefined;
  closeError: Error | undefined;
}

export class ClientExchanges implements PostOwner, IncomingOwner, RenewalOwner {
  readonly connection: HttpConnection;
  readonly channel: HttpChannel;
  readonly #mayBeSse: boolean;
  readonly #incoming: Incoming;
  readonly #queue: PostQueue;
  readonly #renewal: SessionRenewal;
  /** Receives server messages that did not arrive on a POST. */
  readonly #ofNoRequest = {
    message: (chunk: Uint8Array, start: number, end: number) => this.#incoming.read(undefined, chunk, start, end),
    tooLong: (bytes: number) => this.#incoming.tooLong(undefined, bytes),
  };
  #stream: GetStream | undefined;
  #sse: LegacySse | undefined;
  #isOpen = false;
  #closing: Promise<void> | undefined;

  constructor(channel: HttpChannel, options: HttpClientOptions) {
    this.channel = channel;
    this.#mayBeSse = options.transport !== 'http';
    this.connection = new HttpConnection(options, (thrown) => channel.onerror?.(toError(thrown)));
    this.#incoming = new Incoming(this, options);
    this.#queue = new PostQueue(options, (isFull) => this.connection.pause(isFull));
    this.#renewal = new SessionRenewal(this, this.#queue);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get receivedFor(): RequestId | undefined {
    return this.#incoming.receivedFor;
  }

  /** The revision negotiated by `initialize`. */
  set version(version: string) {
    this.connection.session.version = version;
    this.#incoming.version = version;
    this.connection.observed?.learned({ transport: this.#sse ? 'http+sse' : 'http', revision: version });
  }

  async open(isSse: boolean): Promise<void> {
    this.#isOpen = true;
    await this.connection.open();
    if (isSse) await this.#openSse();
  }

  send(message: JsonRpcMessage, text: string, options: SendOptions | undefined): Promise<void> {
    const method = 'method' in message ? message.method : 'an answer';
    const id = 'method' in message && 'id' in message ? message.id : undefined;
    if (id === undefined && method === 'notifications/cancelled') {
      const cancelled = this.#queue.get((message as { params?: { requestId?: RequestId } }).params?.requestId);
      if (cancelled) return this.#cancel(cancelled, { id, method, text, own: undefined });
    }
    const own = repeatedHeaders(message, options?.headers);
    const posted: Posted = { id, method, text, own, to: this.#sse?.to };
    if (id === undefined || !this.channel.onlost) return this.#postAndWait(posted, options);
    const refused = this.#post(posted, options);
    return refused ? Promise.reject(refused) : SENT;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  received(post: Post, chunk: Uint8Array, start: number, end: number): void {
    this.#incoming.read(post, chunk, start, end);
  }

  tooLong(post: Post, bytes: number): void {
    this.#incoming.tooLong(post, bytes);
  }

  accepted(post: Post, response: IncomingMessage): void {
    this.connection.accepted();
    if (post.method === 'initialize') {
      this.connection.beginSession(response.headers['mcp-session-id']);
      this.#renewal.learn(post.posted);
    }
    if (post.id !== undefined) return;
    post.posted.settle?.resolve();
    // Revision 2026-07-28 has neither this notification nor a server stream.
    if (post.method === 'notifications/initialized' && !this.#sse) this.listen();
  }

  refused(post: Post, response: IncomingMessage, body: Buffer): void {
    const isRenewed = this.channel.onrenewed !== undefined;
    const judgement = judgeRefusedPost(post, response, body, {
      hasSession: post.session !== undefined && (isRenewed || this.connection.session.id !== undefined),
      evidence: this.connection.evidence(),
      mask: this.connection.mask,
    });
    if (judgement.kind === 'answer') return this.#incoming.read(post, body, 0, body.length);
    if (judgement.kind === 'session-ended') return this.#renewal.refusedBySession(post);
    this.connection.status = judgement.status;
    const mayBeSse = this.#mayBeSse && !this.#sse && [400, 404, 405].includes(judgement.status);
    if (post.method !== 'initialize' || !mayBeSse || judgement.isMcp) return post.lose(judgement.error);
    this.#openSse().then(
      () => this.#queue.repeat(post, { to: this.#sse!.to }),
      () => post.lose(judgement.error),
    );
  }

  lost(post: Post, error: Error): void {
    this.#queue.settled(post);
    const { id, settle } = post.posted;
    if (settle) settle.reject(error);
    else if (id !== undefined) this.channel.onlost?.(id, error);
  }

  over(post: Post): void {
    this.#queue.over(post);
  }

  sessionEnded(): void {
    this.#renewal.sessionEnded();
  }

  asked(post: Post): boolean {
    post.hasAsked = true;
    if (post.isOfSession(this.connection.session.id)) return true;
    post.sessionEnded();
    return false;
  }

  receivedOther(chunk: Uint8Array, start: number, end: number): void {
    this.#ofNoRequest.message(chunk, start, end);
  }

  closeStream(): void {
    this.#stream?.close();
    this.#stream = undefined;
  }

  waiting(id: RequestId): Post | undefined {
    return this.#queue.get(id);
  }

  answered(post: Post): void {
    post.isSettled = true;
    this.#queue.settled(post);
    post.posted.settle?.resolve();
  }

  #postAndWait(posted: Posted, options: SendOptions | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const refused = this.#post({ ...posted, settle: { resolve, reject } }, options);
      if (refused) reject(refused);
    });
  }

  #post(posted: Posted, options: SendOptions | undefined): PeerError | undefined {
    const post = new Post(this, posted);
    options?.requestSignal?.addEventListener('abort', () => this.#drop(post), { once: true });
    return this.#queue.add(post, options?.neverRefuse === true);
  }

  /**
   * The server stops the request when it receives the notification. A request that was never sent needs no
   * notification.
   */
  #cancel(post: Post, posted: Posted): Promise<void> {
    if (!this.#giveUp(post)) return SENT;
    // In 2026-07-28, closing the stream cancels a request. A new session does not know requests of an earlier one.
    if (post.posted.own !== undefined || !post.isOfSession(this.connection.session.id)) {
      post.close();
      return SENT;
    }
    return this.#postAndWait({ ...posted, to: this.#sse?.to }, undefined).finally(() => post.close());
  }

  #drop(post: Post): void {
    if (this.#giveUp(post)) post.close();
  }

  /** Stops waiting for the answer. Returns false if the request was never sent. */
  #giveUp(post: Post): boolean {
    const isStarted = this.#queue.withdraw(post);
    post.isSettled = true;
    this.#queue.settled(post);
    post.posted.settle?.resolve();
    return isStarted;
  }

  /** Opens the stream for server messages that are unrelated to a request. */
  listen(): void {
    const reader = new EventReader(this.connection, this.#ofNoRequest);
    this.closeStream();
    this.#stream = new GetStream(this.connection, reader, true, (end) => this.#streamOver(end));
    // Requests are held back: messages that the server sends because of a request are lost while its stream is not open.
    this.#queue.hold();
    void this.#stream.begin().then(() => this.#renewal.isActive || this.#queue.release());
  }

  #streamOver({ status, error, isSessionOver, isUnreachable }: StreamEnd): void {
    this.#stream = undefined;
    if (status === 405) return; // the server does not offer a stream
    if (isSessionOver) return this.sessionEnded();
    const { message } = error;
    if (isUnreachable) {
      const text = `The server cannot be reached: ${message}`;
      return this.end(new PeerError('CONNECTION_CLOSED', text, { cause: error, evidence: this.connection.evidence() }));
    }
    this.channel.onerror?.(
      new PeerError('STREAM_FAILED', `No stream for messages from the server: ${message}`, { cause: error }),
    );
  }

  async #openSse(): Promise<void> {
    const sse = new LegacySse(this.connection, {
      ...this.#ofNoRequest,
      ended: (cause) =>
        this.end(new PeerError('CONNECTION_CLOSED', cause.message, { cause, evidence: this.connection.evidence() })),
    });
    this.#sse = sse;
    try {
      await sse.open();
    } catch (error) {
      this.#sse = undefined;
      const message = `Could not open the stream of HTTP+SSE: ${this.connection.mask(toError(error).message)}`;
      throw new PeerError('CONNECTION_CLOSED', message, { cause: error, evidence: this.connection.evidence() });
    }
  }

  #stop(cause: Error, closedByUs: boolean): void {
    this.#isOpen = false;
    this.#renewal.close();
    this.#stream?.close();
    this.#queue.end((post) => post.fail(cause, closedByUs));
    this.#sse?.close();
  }

  /** Called when the connection ended without being closed by this side. */
  end(error: Error): void {
    if (!this.#isOpen) return;
    this.channel.closeError = error;
    this.#stop(error, false);
    this.connection.connector.destroy();
    this.#closing = SENT;
    this.connection.observed?.disconnected(error.message);
    this.channel.onclose?.();
  }

  async #close(): Promise<void> {
    const wasOpen = this.#isOpen;
    this.connection.phase = 'closing';
    this.#stop(new Error('The connection was closed'), true);
    if (!wasOpen) return;
    if (this.connection.session.id !== undefined) await endSession(this.connection).catch(() => undefined); // on failure, the session expires on the server
    this.connection.connector.destroy();
    this.connection.observed?.disconnected();
    this.channel.onclose?.();
  }
}
