// A session of 2024-11-05 to 2025-11-25 over HTTP, as a channel. Each request of the client has a reply of its own, which
// carries what belongs to the request; everything else goes to the stream that the client has opened with GET. A client that
// loses its connection has cancelled nothing: its answers wait for it.

import { PeerError, RpcCode, RpcError } from '../../base/errors.ts';
import type { Channel, SendOptions } from '../../jsonrpc/channel.ts';
import { errorAnswer, unanswered } from '../../jsonrpc/inbound.ts';
import type { JsonRpcMessage, JsonRpcRequest, RequestId } from '../../jsonrpc/message.ts';
import { messageText } from '../../jsonrpc/message-text.ts';
import type { ObservedClient } from '../../mcp/front/client-observer.ts';
import type { ClientIdentity } from '../../mcp/service.ts';
import { InFlight } from '../../requests/in-flight.ts';
import { SENT } from '../../requests/pending-requests.ts';
import type { Account, LimitRefusal } from '../limits.ts';
import type { Ticket } from '../ticket.ts';
import type { EventLog } from './event-log.ts';
import type { HttpExchange } from './exchange.ts';
import type { KeptEvents } from './kept-events.ts';
import { Reply } from './reply.ts';

/** The stream of what belongs to no request. */
const STANDALONE = 0;

/** Streams whose answer waits for a client that may come back. */
const MOST_STREAMS = 1000;

/** Of what a session keeps of its requests, such as the description of its client. What is more counts as waiting bytes. */
const FREE_BYTES = 4096;

export interface SessionOptions {
  /** How many characters of events are kept for a client that comes back. */
  maxKeptChars: number;
  /** Every message goes to the one stream: HTTP+SSE of 2024-11-05. */
  oneStream: boolean;
  /** What all sessions keep. */
  kept: KeptEvents;
  /** Of its principal. */
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
  /** Sees what passes. */
  observed: ObservedClient | undefined;
  /** When it was last used. */
  usedMs: number;
  readonly #log: EventLog;
  readonly #replies = new InFlight<RequestId, Reply>();
  /** Of the requests that were not answered yet: they are counted although their connection may be lost. */
  readonly #tickets = new InFlight<RequestId, Ticket>();
  readonly #byStream = new Map<number, Reply>();
  /** Streams whose answer was written whole, since the last `tick` and before. */
  #written = new Set<number>();
  #writtenBefore = new Set<number>();
  #standalone: Reply | undefined;
  #fullReplies = 0;
  /** A message was refused because the client has not opened a stream for it. */
  #needsStream = false;
  #isFull = false;
  readonly #maxChars: number;
  readonly #account: Account;
  #heldBytes = 0;
  #streams = STANDALONE;
  #isOpen = true;

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

  /** The client has no connection: neither a stream nor a request that it waits for. */
  get isIdle(): boolean {
    if (this.#standalone) return false;
    for (const reply of this.#replies.values()) if (reply.isAttached) return false;
    return true;
  }

  /** Another request with the same id must not run: its answer would give back what the first one counts as. */
  isAnswering(id: RequestId): boolean {
    return this.#replies.get(id) !== undefined || this.#tickets.get(id) !== undefined;
  }

  start(): Promise<void> {
    return SENT;
  }

  /** A request of the client: its answer and what belongs to it go to this exchange. */
  request(
    message: JsonRpcRequest,
    exchange: HttpExchange,
    bytes: number,
    headers?: Readonly<Record<string, string>>,
  ): void {
    const stream = ++this.#streams;
    const reply: Reply = new Reply(exchange, headers, (data) => this.#keep(stream, reply, message.id, data));
    reply.onfull = this.#replyFull;
    this.#replies.add(message.id, reply);
    exchange.onclose = (isComplete) => this.#closed(stream, reply, exchange, isComplete);
    this.receive(message, bytes, exchange.ticket);
  }

  receive(message: JsonRpcMessage, bytes: number, ticket?: Ticket): void {
    if (ticket && 'method' in message && 'id' in message && !this.#tickets.get(message.id)) {
      ticket.hold();
      this.#tickets.add(message.id, ticket);
    }
    this.onmessage?.(message as never, undefined, bytes);
  }

  /** The client listens for what belongs to no request. A second stream takes the place of the first. */
  listen(exchange: HttpExchange, first?: string): void {
    const reply = this.#newStandalone(exchange);
    reply.openStream(first);
    this.#sendUnsent(reply);
  }

  /**
   * 'unknown' where the events after this one are not kept any more. The stream that was open is left first: a client that comes
   * back must not be refused for what waits on the connection that it has lost.
   */
  resume(lastEventId: string, exchange: HttpExchange): LimitRefusal | 'unknown' | undefined {
    const missed = this.#log.after(lastEventId);
    const stream = missed?.stream ?? STANDALONE;
    const interrupted = stream === STANDALONE ? this.#standalone : this.#byStream.get(stream);
    if (!missed || (!interrupted && stream !== STANDALONE)) return 'unknown';
    interrupted?.leave();
    const refusal = exchange.ticket?.addUnread(missed.chars);
    if (refusal) return refusal;
    const reply = stream === STANDALONE ? this.#newStandalone(exchange) : interrupted!;
    if (stream !== STANDALONE) {
      exchange.onclose = (isComplete) => this.#closed(stream, reply, exchange, isComplete);
    }
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
    for (const ticket of this.#tickets.takeAll()) ticket.release();
    this.onclose?.();
    return SENT;
  }

  /** To be called again and again: comments on quiet streams, and the end of what was written before the last time. */
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

  /** The request was cancelled: its reply ends without an answer. */
  withdrawn(id: RequestId): void {
    this.#release(id);
    const reply = this.#replies.get(id);
    if (!reply) return;
    this.#replies.delete(id);
    for (const [stream, open] of this.#byStream) if (open === reply) this.#forget(stream);
    reply.withdraw();
  }

  #release(id: RequestId): void {
    this.#tickets.take(id)?.release();
  }

  #answer(id: RequestId | undefined, json: string): void {
    if (id !== undefined) this.#release(id);
    if (this.isOneStream) return void this.#sendOwn(json, undefined, false);
    const reply = id === undefined ? undefined : this.#replies.get(id);
    if (!reply) return;
    this.#replies.delete(id!);
    reply.finish(json);
  }

  /** False: too much waits for the client. `mayRefuse`: also on a stream that is open. */
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

  /** While too much waits, the front sends only what the client must have. */
  #tellFull(needsStream = this.#needsStream): void {
    this.#needsStream = needsStream;
    const isFull = this.#fullReplies > 0 || needsStream;
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    this.onfull?.(isFull);
  }

  #newStandalone(exchange: HttpExchange): Reply {
    this.#standalone?.leave();
    const log = this.isOneStream ? undefined : (data: string) => this.#log.add(STANDALONE, data);
    const reply = new Reply(exchange, { 'mcp-session-id': this.id }, log);
    reply.onfull = this.#replyFull;
    this.#standalone = reply;
    exchange.onclose = () => {
      if (this.#standalone === reply) this.#standalone = undefined;
      reply.detach(exchange); // afterwards: what it lets go on waits for the next stream
      if (this.isOneStream) void this.close();
    };
    return reply;
  }

  /** An answer that was written whole may still be lost on its way: it is kept for a while. */
  #closed(stream: number, reply: Reply, exchange: HttpExchange, isComplete: boolean): void {
    const isLast = reply.detach(exchange);
    if (isLast && reply.isOver && isComplete && this.#byStream.has(stream)) this.#written.add(stream);
  }

  /** A client that has seen no event of a stream cannot come back to it: only from the first one on it is kept. */
  #keep(stream: number, reply: Reply, request: RequestId, data: string): string {
    if (!this.#byStream.has(stream)) {
      this.#byStream.set(stream, reply);
      this.#dropOldest();
    }
    const isAnswer = this.#replies.get(request) !== reply;
    return this.#log.add(stream, isAnswer && !this.#log.fits(data) ? this.#instead(request, data.length) : data);
  }

  /** What a client that comes back gets for an answer that is not kept. */
  #instead(request: RequestId, chars: number): string {
    const message = `The answer was lost with the connection: of its ${chars} characters ${this.#maxChars} may be kept (maxKeptChars)`;
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
  return new PeerError('NOT_SENT', 'Too much waits for a client that reads no stream (GET): the message was not sent');
}
