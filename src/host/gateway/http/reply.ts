// The reply to one request: a JSON object if only the answer is sent, otherwise an event stream. With an event log, a client that was
// disconnected can fetch the events it missed.

import { RpcCode, type UsageError } from '../../../base/errors.ts';
import type { SingleReply } from '../../../mcp/adapter/single-request.ts';
import { McpCode } from '../../../mcp/protocol-errors.ts';
import type { ClientIdentity } from '../../../mcp/service.ts';
import type { JsonRpcNotification, JsonRpcResponse } from '../../../wire/jsonrpc/message.ts';
import { messageText } from '../../../wire/jsonrpc/message-text.ts';
import type { InFlight } from '../../../wire/requests/in-flight.ts';
import type { EventWriter, HttpExchange } from './exchange.ts';

export const JSON_HEADERS = { 'content-type': 'application/json' } as const;
const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** While more data than this is pending, only requested messages are added. */
const MOST_WAITING_BYTES = 1024 * 1024;
/** Limit of a notification and of pending data while the account of the principal is full. */
const MOST_WAITING_WHEN_FULL = 16 * 1024;

/** Stores an event of the stream and returns its id. Absent if streams cannot be resumed. */
type KeepEvent = (data: string) => string;

export class Reply {
  #exchange: HttpExchange | undefined;
  #sink: EventWriter | undefined;
  readonly #headers: Readonly<Record<string, string>> | undefined;
  /**
   * Stores the events; undefined once the reply is over: a finished reply is kept for reconnecting clients, and `#keep`
   * holds the id of the request.
   */
  #keep: KeepEvent | undefined;
  #isOver = false;
  #isFull = false;
  /** Called with true when too much data is pending for the client, and with false when the client has read all of it. */
  onfull: ((isFull: boolean) => void) | undefined;

  constructor(exchange: HttpExchange, headers?: Readonly<Record<string, string>>, keep?: KeepEvent) {
    this.#exchange = exchange;
    this.#headers = headers;
    this.#keep = keep;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isAttached(): boolean {
    return this.#exchange !== undefined;
  }

  /** Continues an interrupted stream on this exchange, after the missed events. */
  resumeOn(exchange: HttpExchange, missed: readonly { id: string; data: string }[]): void {
    this.#exchange = exchange;
    const sink = this.#open();
    for (const { id, data } of missed) sink?.write(`id: ${id}\ndata: ${data}\n\n`); // the events are already in the log
    this.#count();
  }

  /** Called when the client continues on another stream. A connection with unread data is closed to free the data. */
  leave(): void {
    const sink = this.#sink;
    const admission = this.#exchange?.admission;
    this.detach(this.#exchange);
    if (!sink?.waiting) return sink?.end();
    sink.abort();
    admission?.setUnread(0);
  }

  /** Called when the connection has closed. Later events are only stored. Returns false if the client has reconnected already. */
  detach(exchange: HttpExchange | undefined): boolean {
    if (this.#exchange !== exchange) return false;
    this.#exchange = undefined;
    this.#sink = undefined;
    this.#setFull(false);
    return true;
  }

  /** Starts the stream with an event without data, whose id lets the client reconnect. */
  openStream(first?: string): void {
    if (this.#sink || this.#isOver) return;
    const sink = this.#open();
    if (first) sink?.write(first);
    if (this.#keep) sink?.write(`id: ${this.#keep('')}\ndata: \n\n`);
  }

  /** Sends a notification. Returns false without sending it if the account of the principal is full. */
  offer(json: string): boolean {
    const account = this.#exchange?.admission?.account;
    if (account?.isFull && json.length > MOST_WAITING_WHEN_FULL) {
      this.#setFull(true);
      return false;
    }
    this.event(json);
    return true;
  }

  event(json: string): void {
    if (this.#isOver) return;
    this.openStream();
    this.#write(json);
  }

  /** Keeps proxies and clients from closing a quiet stream. A stream unrelated to a call ends when its token expires. */
  keepAlive(): void {
    if (this.#isOver) return; // unread data keeps an ended stream open
    const { principal, admission } = this.#exchange ?? {};
    if (this.#isFull && !admission?.account.isFull && !this.#sink?.waiting) this.#setFull(false); // `ondrain` is not called without data
    if (principal?.expiresMs !== undefined && principal.expiresMs <= Date.now() && admission?.isStream) this.end();
    else this.#sink?.write(':\n\n');
  }

  /** Sends the last message. `status` is used unless the stream has started. */
  finish(json: string, status = 200): void {
    if (this.#isOver) return;
    if (this.#sink || (this.#keep && !this.#exchange)) {
      this.#write(json);
      return this.end();
    }
    this.#isOver = true;
    const headers = this.#headers ? { ...JSON_HEADERS, ...this.#headers } : JSON_HEADERS;
    const exchange = this.#exchange;
    this.#exchange = undefined; // a long-lived reference to the reply must not retain the connection's objects
    exchange?.answer(status, headers, json);
  }

  /** Ends the stream without an answer. Clients do not resume a stream without an event. */
  withdraw(): void {
    if (this.#isOver) return;
    if (!this.#sink) this.#open();
    this.end();
  }

  end(): void {
    this.#isOver = true;
    this.#keep = undefined;
    this.#sink?.end();
  }

  #open(): EventWriter | undefined {
    const sink = this.#exchange?.stream({ ...STREAM_HEADERS, ...this.#headers });
    const admission = this.#exchange?.admission;
    this.#sink = sink;
    if (sink)
      sink.ondrain = () => {
        admission?.setUnread(0);
        if (this.#sink === sink) this.#setFull(false);
      };
    return sink;
  }

  #write(json: string): void {
    const id = this.#keep ? `id: ${this.#keep(json)}\n` : '';
    if (!this.#sink) return;
    this.#sink.write(`${id}data: ${json}\n\n`);
    this.#count();
  }

  #count(): void {
    const waiting = this.#sink?.waiting ?? 0;
    const admission = this.#exchange?.admission;
    admission?.setUnread(waiting);
    if (waiting > (admission?.account.isFull ? MOST_WAITING_WHEN_FULL : MOST_WAITING_BYTES)) this.#setFull(true);
  }

  #setFull(isFull: boolean): void {
    if (this.#isFull === isFull) return;
    this.#isFull = isFull;
    this.onfull?.(isFull);
  }
}

/** A POST of 2026-07-28. Closing the connection cancels the request. */
export class ModernPost implements SingleReply {
  onfull: ((isFull: boolean) => void) | undefined;
  onclose: (() => void) | undefined;
  readonly client: ClientIdentity;
  readonly #reply: Reply;
  readonly #open: InFlight<number, ModernPost>;
  readonly #number: number;

  /** `open`: the pending POSTs of the gateway, by number. */
  constructor(exchange: HttpExchange, client: ClientIdentity, open: InFlight<number, ModernPost>, number: number) {
    this.client = client;
    this.#open = open;
    this.#reply = new Reply(exchange);
    this.#reply.onfull = (isFull) => this.onfull?.(isFull);
    this.#number = number;
    open.add(number, this);
    exchange.onclose = () => this.#closed();
  }

  notify(message: JsonRpcNotification): boolean {
    const json = messageText(message);
    return typeof json !== 'string' || this.#reply.offer(json);
  }

  answer(message: JsonRpcResponse): UsageError | undefined {
    const json = messageText(message);
    if (typeof json !== 'string') return json;
    this.#reply.finish(json, 'error' in message ? statusOf(message.error.code) : 200);
    return undefined;
  }

  keepAlive(): void {
    this.#reply.openStream();
    this.#reply.keepAlive();
  }

  end(): void {
    this.#reply.withdraw();
    this.#closed();
  }

  #closed(): void {
    if (this.#open.take(this.#number)) this.onclose?.();
  }
}

const { headerMismatch, missingClientCapability, unsupportedProtocolVersion } = McpCode;
const badRequests: readonly number[] = [headerMismatch, missingClientCapability, unsupportedProtocolVersion];

function statusOf(code: number): number {
  if (code === RpcCode.methodNotFound) return 404;
  return badRequests.includes(code) ? 400 : 200;
}
