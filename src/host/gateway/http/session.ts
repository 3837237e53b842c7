// A session of 2024-11-05 to 2025-11-25 over HTTP, as a channel. Each request from the client has its own reply, which carries the messages
// related to the request. Other messages go to the stream that the client opened with GET. A lost connection does not cancel requests:
// their answers are kept for the client.

import { PeerError, RpcCode, RpcError } from '../../../base/errors.ts';
import type { ObservedClient } from '../../../mcp/adapter/client-observer.ts';
import type { ClientIdentity } from '../../../mcp/service.ts';
import type { Channel, SendOptions } from '../../../wire/jsonrpc/channel.ts';
import { errorAnswer, unanswered } from '../../../wire/jsonrpc/inbound.ts';
import type { JsonRpcMessage, JsonRpcRequest, RequestId } from '../../../wire/jsonrpc/message.ts';
import { messageText } from '../../../wire/jsonrpc/message-text.ts';
import { InFlight } from '../../../wire/requests/in-flight.ts';
import { SENT } from '../../../wire/requests/pending-requests.ts';
import type { Account, Admission, LimitRefusal } from '../limits.ts';
import type { EventLog, KeptEvents } from './event-log.ts';
import type { HttpExchange } from './exchange.ts';
import { Reply } from './reply.ts';

/** Number of the stream for messages unrelated to a request. */
const STANDALONE = 0;

/** Limit of streams whose answer is kept for a reconnecting client. */
const MOST_STREAMS = 1000;
/** Bytes of requests that a session may keep uncounted, such as the client's description. The rest counts as pending. */
const FREE_BYTES = 4096;

interface SessionOptions {
  maxKeptChars: number;
  /** All messages use a single stream, as in HTTP+SSE of 2024-11-05. */
  oneStream: boolean;
  kept: KeptEvents;
  account: Account;
}

export class HttpSession implements Channel {
  onmessage?: ((message: never, extra?: never, frameBytes?: number) => void) | undefined;
  onclose?: (() => void) | undefined;
  onfull?: ((isFull: boolean) => void) | undefined;
  readonly id: string;
  readonly client: ClientIdentity;
  readonly isOneStream: boolean;
  readonly writesText = true;
  readonly servesWhenFull: boolean;
  observed: ObservedClient | undefined;
  usedMs: number;
  readonly #log: EventLog;
  readonly #replies = new InFlight<RequestId, Reply>();
  /** Admissions of unanswered requests. They count even if the connection is lost. */
  readonly #admissions = new InFlight<RequestId, Admission>();
  readonly #byStream = new Map<number, Reply>();
  /** Streams whose answer was written completely, since the last `tick` and before it. */
  #written = new Set<number>();
  #writtenBefore = new Set<number>();
  #standalone: Reply | undefined;
  #fullReplies = 0;
  /** True if a message was refused because the client has not opened a stream for it. */
  #needsStream = false;
  #isFull = false;
  readonly #maxChars: number;
  readonly #account: Account;
  #heldBytes = 0;
  #streams = STANDALONE;
  #isOpen = true;
  /** Set while a message is received, if the next one should come later. */
  #space: Promise<void> | undefined;

  constructor(id: string, client: ClientIdentity, nowMs: number, options: SessionOptions) {
    const { maxKeptChars, oneStream, kept, account } = options;
    this.id = id;
    this.client = client;
    this.usedMs = nowMs;
    this.isOneStream = oneStream;
    this.servesWhenFull = !oneStream;
    this.#maxChars = maxKeptChars;
    this.#account = account;
    this.#log = kept.open(client.principal, maxKeptChars);
  }

  /** True if the client has neither a stream nor a connected request. */
  get isIdle(): boolean {
    if (this.#standalone) return false;
    for (const reply of this.#replies.values()) if (reply.isAttached) return false;
    return true;
  }

  /** A second request with the same id must not run: its answer would release the admission of the first. */
  isAnswering(id: RequestId): boolean {
    return this.#replies.get(id) !== undefined || this.#admissions.get(id) !== undefined;
  }

  start(): Promise<void> {
    return SENT;
  }

  /** The answer and related messages go to this exchange. */
  request(message: JsonRpcRequest, exchange: HttpExchange, bytes: number, headers?: Record<string, string>): void {
    const stream = ++this.#streams;
    const reply = this.#newReply(stream, message.id, exchange, headers);
    this.#replies.add(message.id, reply);
    exchange.onclose = (isComplete) => this.#closed(stream, reply, exchange, isComplete);
    this.receive(message, bytes, exchange.admission);
  }

  /** Returns a promise if the client should send the next message later. */
  receive(message: JsonRpcMessage, bytes: number, admission?: Admission): Promise<void> | undefined {
    if (admission && 'method' in message && 'id' in message && !this.#admissions.get(message.id)) {
      admission.hold();
      this.#admissions.add(message.id, admission);
    }
    this.#space = undefined;
    this.onmessage?.(message as never, undefined, bytes);
    return this.#space;
  }

  holdInput(until: Promise<void>): void {
    this.#space = until;
  }

  /** Opens the stream for messages unrelated to a request. A second stream replaces the first. */
  listen(exchange: HttpExchange, first?: string): void {
    const reply = this.#newStandalone(exchange);
    reply.openStream(first);
    this.#sendUnsent(reply);
  }

  /** Returns 'unknown' if later events were dropped. Leaves the open stream first: data pending on a lost connection must not cause a refusal. */
  resume(lastEventId: string, exchange: HttpExchange): LimitRefusal | 'unknown' | undefined {
    const missed = this.#log.after(lastEventId);
    const stream = missed?.stream ?? STANDALONE;
    const interrupted = stream === STANDALONE ? this.#standalone : this.#byStream.get(stream);
    if (!missed || (!interrupted && stream !== STANDALONE)) return 'unknown';
    interrupted?.leave();
    const refusal = exchange.admission?.addUnread(missed.chars);
    if (refusal) return refusal;
    const reply = stream === STANDALONE ? this.#newStandalone(exchange) : interrupted!;
    if (stream !== STANDALONE) exchange.onclose = (isComplete) => this.#closed(stream, reply, exchange, isComplete);
    reply.resumeOn(exchange, missed.events);
    if (stream === STANDALONE) this.#sendUnsent(reply);
    if (reply.isOver) reply.end();
    return undefined;
  }

  send(message: JsonRpcMessage, options?: SendOptions): Promise<void> {
    const json = messageText(message);
    if (typeof json !== 'string') return Promise.reject(json);
    if (!this.#isOpen) return Promise.reject(new PeerError('NOT_SENT', 'The session is closed'));
    if (!('method' in message)) this.#answer(message.id, json);
    else if (!this.#sendOwn(json, options?.relatedRequestId, !('id' in message))) return Promise.reject(notKept());
    return SENT;
  }

  hold(bytes: number): RpcError | undefined {
    const counted = (held: number) => Math.max(0, held - FREE_BYTES);
    const more = this.#isOpen ? counted(this.#heldBytes + bytes) - counted(this.#heldBytes) : 0;
    const beyond = more > 0 ? this.#account.take('waitingBytes', more, true) : undefined;
    if (beyond) return new RpcError(RpcCode.serverBusy, beyond.message);
    if (more < 0) this.#account.give('waitingBytes', -more);
    this.#heldBytes += bytes;
    return undefined;
  }

  close(): Promise<void> {
    if (!this.#isOpen) return SENT;
    this.hold(-this.#heldBytes);
    this.#isOpen = false;
    this.#log.close();
    this.#tellFull(false);
    this.#standalone?.end();
    for (const [id, reply] of this.#replies.entries()) reply.finish(JSON.stringify(errorAnswer(id, unanswered())));
    for (const admission of this.#admissions.takeAll()) admission.release();
    this.onclose?.();
    return SENT;
  }

  /** Writes comments on quiet streams, and forgets streams that ended before the previous call. Must be called periodically. */
  tick(): void {
    for (const stream of this.#writtenBefore) this.#forget(stream);
    this.#writtenBefore = this.#written;
    this.#written = new Set();
    this.#standalone?.keepAlive();
    for (const reply of this.#replies.values()) {
      reply.openStream();
      reply.keepAlive();
    }
  }

  /** Ends the reply to a cancelled request without an answer. */
  withdrawn(id: RequestId): void {
    this.#release(id);
    const reply = this.#replies.get(id);
    if (!reply) return;
    this.#replies.delete(id);
    for (const [stream, open] of this.#byStream) if (open === reply) this.#forget(stream);
    reply.withdraw();
  }

  #release(id: RequestId): void {
    this.#admissions.take(id)?.release();
  }

  #answer(id: RequestId | undefined, json: string): void {
    if (id !== undefined) this.#release(id);
    if (this.isOneStream) return void this.#sendOwn(json, undefined, false);
    const reply = id === undefined ? undefined : this.#replies.get(id);
    if (!reply) return;
    this.#replies.delete(id!);
    reply.finish(json);
  }

  /** Returns false if too much data is pending for the client. `mayRefuse`: the message may be refused even if a stream is open. */
  #sendOwn(json: string, related: RequestId | undefined, mayRefuse: boolean): boolean {
    const reply = (related === undefined ? undefined : this.#replies.get(related)) ?? this.#standalone;
    if (reply && mayRefuse) return reply.offer(json);
    if (reply) reply.event(json);
    else if (!this.#log.addUnsent(json)) {
      this.#tellFull(true);
      return false;
    }
    return true;
  }

  #sendUnsent(reply: Reply): void {
    for (const json of this.#log.takeUnsent()) reply.event(json);
    this.#tellFull(false);
  }

  readonly #replyFull = (isFull: boolean): void => {
    this.#fullReplies += isFull ? 1 : -1;
    this.#tellFull();
  };

  /** While the session is full, the client adapter sends only essential messages. */
  #tellFull(needsStream = this.#needsStream): void {
    this.#needsStream = needsStream;
    const isFull = this.#fullReplies > 0 || needsStream;
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    this.onfull?.(isFull);
  }

  /**
   * A separate function, because closures of one function keep each other's variables: a kept reply would keep the
   * request body.
   */
  #newReply(
    stream: number,
    id: RequestId,
    exchange: HttpExchange,
    headers: Readonly<Record<string, string>> | undefined,
  ): Reply {
    const reply: Reply = new Reply(exchange, headers, (data) => this.#keep(stream, reply, id, data));
    reply.onfull = this.#replyFull;
    return reply;
  }

  #newStandalone(exchange: HttpExchange): Reply {
    this.#standalone?.leave();
    const log = this.isOneStream ? undefined : (data: string) => this.#log.add(STANDALONE, data);
    const reply = new Reply(exchange, { 'mcp-session-id': this.id }, log);
    reply.onfull = this.#replyFull;
    this.#standalone = reply;
    exchange.onclose = () => {
      if (this.#standalone === reply) this.#standalone = undefined;
      reply.detach(exchange); // called last: messages that this releases must be kept for the next stream
      if (this.isOneStream) void this.close();
    };
    return reply;
  }

  /** A completely written answer can still be lost in transit, so it is kept until the second `tick`. */
  #closed(stream: number, reply: Reply, exchange: HttpExchange, isComplete: boolean): void {
    const isLast = reply.detach(exchange);
    if (isLast && reply.isOver && isComplete && this.#byStream.has(stream)) this.#written.add(stream);
  }

  /** A stream cannot be resumed without an event id, so it is kept only from its first event. */
  #keep(stream: number, reply: Reply, request: RequestId, data: string): string {
    if (!this.#byStream.has(stream)) {
      this.#byStream.set(stream, reply);
      this.#dropOldest();
    }
    const isAnswer = this.#replies.get(request) !== reply;
    return this.#log.add(stream, isAnswer && !this.#log.fits(data) ? this.#instead(request, data.length) : data);
  }

  /** The error that a reconnecting client gets for an answer that was too large to keep. */
  #instead(request: RequestId, chars: number): string {
    const message = `The answer was lost with the connection: it has ${chars} characters, and ${this.#maxChars} are kept (maxKeptChars)`;
    return JSON.stringify(errorAnswer(request, new RpcError(RpcCode.internalError, message)));
  }

  #forget(stream: number): void {
    this.#byStream.delete(stream);
    this.#log.forget(stream);
  }

  #dropOldest(): void {
    if (this.#byStream.size <= MOST_STREAMS) return;
    for (const [stream, reply] of this.#byStream) if (reply.isOver) return this.#forget(stream);
  }
}

function notKept(): PeerError {
  return new PeerError(
    'NOT_SENT',
    'The message was not sent: too much data is pending, and the client has not opened a stream (GET)',
  );
}
