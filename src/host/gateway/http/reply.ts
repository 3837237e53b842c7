// The reply to one request: a JSON object if only the answer is sent, otherwise an event stream. With an event log, a
// client that was disconnected can fetch the events it missed.

import type { EventWriter, HttpExchange } from './exchange.ts';

export const JSON_HEADERS = { 'content-type': 'application/json' } as const;
const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** While more data than this is pending, only requested messages are added. */
const MOST_WAITING_BYTES = 1024 * 1024;
/**
 * Limit for a single notification while too much data is pending for the principal's clients, or for all clients
 * together.
 */
const MOST_WAITING_WHEN_FULL = 16 * 1024;

/** Stores an event of the stream and returns its id. Absent if streams cannot be resumed. */
type KeepEvent = (data: string) => string;

export class Reply {
  #exchange: HttpExchange | undefined;
  #sink: EventWriter | undefined;
  /** Sent in addition to the headers of every reply. */
  readonly #headers: Readonly<Record<string, string>> | undefined;
  readonly #keep: KeepEvent | undefined;
  #isOver = false;
  #isFull = false;
  /**
   * Called with true when too much data is pending for the client, and with false when the client has read all of it.
   */
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
    for (const { id, data } of missed) sink?.write(`id: ${id}\ndata: ${data}\n\n`); // already in the log
    this.#count();
  }

  /** Called when the client continues on another stream. A connection with unread data is closed, because it would keep the data. */
  leave(): void {
    const sink = this.#sink;
    const admission = this.#exchange?.admission;
    this.detach(this.#exchange);
    if (!sink?.waiting) return sink?.end();
    sink.abort();
    admission?.setUnread(0);
  }

  /** Called when the connection is gone. Later events are only stored. Returns false if the client has reconnected already. */
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

  /** Sends a notification. Returns false without sending it if too much data is pending for the principal's clients. */
  offer(json: string): boolean {
    const account = this.#exchange?.admission?.account;
    if (account?.isFull && json.length > MOST_WAITING_WHEN_FULL) {
      this.#setFull(true);
      return false;
    }
    this.event(json);
    return true;
  }

  /** Sends a message before the answer. */
  event(json: string): void {
    if (this.#isOver) return;
    this.openStream();
    this.#write(json);
  }

  /** Keeps proxies and clients from closing a quiet stream. A stream unrelated to a call ends when its token expires. */
  keepAlive(): void {
    const { principal, admission } = this.#exchange ?? {};
    if (this.#isFull && !admission?.account.isFull && !this.#sink?.waiting) this.#setFull(false); // there is nothing that would drain
    if (principal?.expiresMs !== undefined && principal.expiresMs <= Date.now() && admission?.isStream) this.end();
    else this.#sink?.write(':\n\n');
  }

  /** Sends the last message. `status` is used unless the stream has started. */
  finish(json: string, status = 200): void {
    if (this.#isOver) return;
    if (this.#sink || (this.#keep && !this.#exchange)) {
      this.#write(json);
      this.end();
      return;
    }
    this.#isOver = true;
    const headers = this.#headers ? { ...JSON_HEADERS, ...this.#headers } : JSON_HEADERS;
    const exchange = this.#exchange;
    this.#exchange = undefined; // a long-lived reference to the reply must not retain the connection's objects
    exchange?.answer(status, headers, json);
  }

  /** Ends the stream without an answer. A stream without an event is not resumed. */
  withdraw(): void {
    if (this.#isOver) return;
    if (!this.#sink) this.#open();
    this.end();
  }

  end(): void {
    this.#isOver = true;
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
