// One message to the server as a POST and its response: a JSON text, or an event stream that ends with the answer. A request settles
// exactly once.

import type { IncomingMessage } from 'node:http';
import type { Timer } from '../../../base/clock.ts';
import { isUnauthorized, PeerError } from '../../../base/errors.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import type { Endpoint } from './endpoint.ts';
import { EventReader } from './event-reader.ts';
import { GetStream } from './get-stream.ts';
import { HttpCall } from './http-call.ts';
import { NOTIFICATION_TIMEOUT_MS } from './http-client-options.ts';
import type { HttpConnection } from './http-connection.ts';
import { brokenError } from './http-failure.ts';
import type { HttpEvents } from './http-request.ts';
import { contentType, readBody, TOO_LONG } from './response-body.ts';

/** The transport of a POST. */
export interface PostOwner {
  readonly connection: HttpConnection;
  /** A message for the client: chunk[start, end). */
  received(post: Post, chunk: Uint8Array, start: number, end: number): void;
  /** An event or a body exceeded the size limit. */
  tooLong(post: Post, bytes: number): void;
  /** A response with a non-2xx status. */
  refused(post: Post, response: IncomingMessage, body: Buffer): void;
  /** The headers of a 2xx response have arrived. */
  accepted(post: Post, response: IncomingMessage): void;
  /** The server no longer knows the session. */
  sessionEnded(): void;
  /** The request will not be answered. */
  lost(post: Post, error: Error): void;
  /** The POST has ended and has released its resources. */
  over(post: Post): void;
}

/** The message of a POST, with the facts that the transport needs. */
export interface Posted {
  /** The id; undefined unless the message is a request. */
  readonly id: RequestId | undefined;
  readonly method: string;
  readonly text: string;
  /** Headers of 2026-07-28 that repeat parts of the message, as alternating names and values. */
  readonly own: readonly string[] | undefined;
  /** The target of POSTs over HTTP+SSE. Answers arrive on the connection's stream. */
  readonly to?: Endpoint | undefined;
  /** True if the message is sent again in a new session. */
  readonly isRepeated?: boolean;
  /** Set if the sender waits for the outcome. */
  readonly settle?: { resolve: () => void; reject: (error: Error) => void } | undefined;
}

/** How long a server may keep a response open after the answer. */
const LINGER_MS = 5_000;
/** Methods that can be the first request of a connection. */
const openings = new Set(['initialize', 'server/discover']);
const MOST_REFUSAL_BYTES = 1024 * 1024;

export class Post implements HttpEvents {
  readonly owner: PostOwner;
  readonly posted: Posted;
  /** True when the answer has arrived or the failure is known. */
  isSettled = false;
  /** True if the response is an event stream. */
  isStream = false;
  /** True if the server sent a request on the stream. */
  hasAsked = false;
  /** Id of the session in which the message was sent. */
  session: string | undefined;
  #call: HttpCall | undefined;
  #rest: GetStream | undefined;
  #timer: Timer | undefined;
  #isOver = false;

  constructor(owner: PostOwner, posted: Posted) {
    this.owner = owner;
    this.posted = posted;
  }

  get id(): RequestId | undefined {
    return this.posted.id;
  }

  get method(): string {
    return this.posted.method;
  }

  /** False if it is certain that the message did not run. */
  get mayHaveRun(): boolean {
    return this.#call?.mayHaveArrived ?? false;
  }

  /** False while the POST is queued. */
  get isStarted(): boolean {
    return this.#call !== undefined;
  }

  get isRefusedByProxy(): boolean {
    return this.#call?.isRefusedByProxy ?? false;
  }

  /** A message with its own headers (2026-07-28) does not belong to a session. */
  isOfSession(id: string | undefined): boolean {
    return this.posted.own !== undefined || this.session === id;
  }

  start(): void {
    const { text, own, id, to } = this.posted;
    const bytes = Buffer.byteLength(text);
    const { connection } = this.owner;
    const { head, clock } = connection;
    const { session } = connection;
    if (own === undefined) this.session = session.id;
    const ownOrSession = own ?? session.headers;
    const headers = (authorization: string | undefined) => head.post(bytes, ownOrSession, authorization);
    this.#call = new HttpCall(connection, { method: 'POST', headers, body: text, to }, this);
    if (id === undefined || to) this.#timer = clock.after(NOTIFICATION_TIMEOUT_MS, () => this.#timedOut());
  }

  response(response: IncomingMessage): void {
    const status = response.statusCode!;
    if (this.#isOver) return void response.destroy();
    if (status >= 300) return this.#refused(response);
    this.owner.accepted(this, response);
    if (this.id === undefined || this.posted.to) return this.#drain(response);
    const encoding = response.headers['content-encoding'];
    const type = contentType(response);
    if (encoding !== undefined && encoding !== 'identity') {
      this.#unreadable(response, `it is encoded with ${encoding}, which was not requested`);
    } else if (type === 'text/event-stream') this.#stream(response);
    else if (type === 'application/json') this.#json(response);
    else if (status === 202 || status === 204) {
      this.#unreadable(response, `the server answered with HTTP status ${status}, which cannot carry an answer`);
    } else {
      const what = type === '' ? 'has no content type' : `is ${type}`;
      this.#unreadable(response, `it ${what}, not application/json or text/event-stream`);
    }
  }

  failed(error: Error): void {
    if (isUnauthorized(error)) this.lose(error);
    else this.fail(error);
    this.close();
  }

  /** Called when the connection fails. */
  fail(cause: Error, closedByUs = false): void {
    const { mayHaveRun } = this;
    if (!closedByUs) this.owner.connection.failed(cause, this.isRefusedByProxy);
    this.lose(
      brokenError(this.method, {
        mayHaveArrived: mayHaveRun,
        closedByUs,
        cause,
        evidence: this.owner.connection.evidence(),
      }),
    );
  }

  lose(error: Error): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.owner.lost(this, error);
  }

  /** Settles a message that has become obsolete. */
  drop(): void {
    this.isSettled = true;
    this.posted.settle?.resolve();
  }

  /** Fails requests that need the session. Other requests can still be answered. */
  sessionEnded(): void {
    if (this.#rest || this.hasAsked) this.failed(new Error('The server ended the session'));
  }

  /** Limits how long the response may stay open after the answer. */
  linger(): void {
    if (this.#isOver) return;
    if (this.#rest) return this.close();
    this.#timer ??= this.owner.connection.clock.after(LINGER_MS, () => this.close());
  }

  /** Ends the POST and destroys its connection. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer?.cancel();
    this.#rest?.close();
    this.#call?.destroy();
    this.owner.over(this);
  }

  /** The response ended normally, so its socket can be reused. */
  #ended(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer?.cancel();
    this.owner.over(this);
  }

  #drain(response: IncomingMessage): void {
    if (this.id === undefined) this.isSettled = true;
    response.on('end', () => this.#ended());
    response.on('error', () => this.close());
    response.resume();
  }

  #json(response: IncomingMessage): void {
    const { maxBytes } = this.owner.connection;
    readBody(response, maxBytes, (body) => {
      if (body instanceof Error) return this.failed(body);
      if (body === TOO_LONG) {
        this.#call?.seen?.tooLong?.(maxBytes);
        this.owner.tooLong(this, maxBytes);
      } else if (body.length === 0) this.lose(unreadable(this.method, 'it is empty'));
      else {
        this.#call?.seen?.received(body, 0, body.length);
        if (openings.has(this.method)) this.owner.connection.notMessage(response, body);
        this.owner.received(this, body, 0, body.length);
      }
      if (!this.isSettled) this.lose(unreadable(this.method, 'it does not answer this request'));
      this.#ended();
    });
  }

  #stream(response: IncomingMessage): void {
    const owner = this.owner;
    this.isStream = true;
    const reader = new EventReader(owner.connection, {
      message: (chunk, start, end) => {
        owner.received(this, chunk, start, end);
        if (this.isSettled) this.linger();
      },
      tooLong: (bytes) => owner.tooLong(this, bytes),
    });
    reader.read(response, this.#call?.seen, (error) => this.#cut(reader, error));
  }

  /** The stream ended, possibly before the answer. */
  #cut(reader: EventReader, error: Error | undefined): void {
    if (this.#isOver) return;
    if (this.isSettled) return this.#ended();
    const isInSession = this.posted.own === undefined && this.isOfSession(this.owner.connection.session.id);
    const isResumable = reader.lastEventId !== undefined && isInSession;
    if (!isResumable) return this.failed(error ?? new Error('The server ended the stream before the answer'));
    this.#rest = new GetStream(this.owner.connection, reader, false, (end) => {
      if (end.isSessionOver) return this.owner.sessionEnded();
      this.failed(new Error(`The stream was cut and could not be resumed: ${end.error.message}`, { cause: end.error }));
    });
    this.#rest.reopen();
  }

  #refused(response: IncomingMessage): void {
    readBody(response, MOST_REFUSAL_BYTES, (body) => {
      const isRead = !(body instanceof Error) && body !== TOO_LONG;
      if (isRead && body.length > 0) this.#call?.seen?.received(body, 0, body.length);
      this.owner.connection.notAnswer(response, isRead ? body : undefined, this.isRefusedByProxy);
      this.owner.refused(this, response, isRead ? body : Buffer.alloc(0));
      if (isRead) this.#ended();
      else this.close();
    });
  }

  #unreadable(response: IncomingMessage, why: string): void {
    this.owner.connection.notAnswer(response);
    response.destroy();
    this.lose(unreadable(this.method, why));
    this.close();
  }

  #timedOut(): void {
    this.failed(new Error(`No response within ${NOTIFICATION_TIMEOUT_MS} ms`));
  }
}

function unreadable(method: string, why: string): PeerError {
  return new PeerError('MESSAGE_INVALID', `The answer to ${method} could not be read: ${why}`, {
    hint: 'Check that the url is that of an MCP server, and whether a proxy or a login page answers in its place.',
  });
}
