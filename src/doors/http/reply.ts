// The reply to one request: a JSON object if nothing has to be sent before the answer, an event stream otherwise. With a
// log of its events a client that was disconnected can fetch what it missed.

import type { EventSink, HttpExchange } from './exchange.ts';

export const JSON_HEADERS = { 'content-type': 'application/json' } as const;
const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** While more waits for the client, only what it asked for is added. */
const MOST_WAITING_BYTES = 1024 * 1024;
/** While too much waits for the clients of the principal, or for all clients together. */
const MOST_WAITING_WHEN_FULL = 16 * 1024;

/** Keeps an event of the stream and returns its id; absent where streams cannot be resumed. */
type KeepEvent = (data: string) => string;

export class Reply {
  #exchange: HttpExchange | undefined;
  #sink: EventSink | undefined;
  /** In addition to those of every reply. */
  readonly #headers: Readonly<Record<string, string>> | undefined;
  readonly #keep: KeepEvent | undefined;
  #isOver = false;
  #isFull = false;
  /** Too much waits for the client; false when it has taken all. */
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

  /** The client can be reached on this exchange: a stream that was interrupted goes on here, after what was missed. */
  resumeOn(exchange: HttpExchange, missed: readonly { id: string; data: string }[]): void {
    this.#exchange = exchange;
    const sink = this.#open();
    for (const { id, data } of missed) sink?.write(`id: ${id}\ndata: ${data}\n\n`); // the log has them already
    this.#count();
  }

  /** The client goes on with another stream. The connection of this one is closed where it would keep what was not read. */
  leave(): void {
    const sink = this.#sink;
    const ticket = this.#exchange?.ticket;
    this.detach(this.#exchange);
    if (!sink?.waiting) return sink?.end();
    sink.abort();
    ticket?.setUnread(0);
  }

  /** The connection is gone. What is sent from now on is only kept. False where the client has come back on another one. */
  detach(exchange: HttpExchange | undefined): boolean {
    if (this.#exchange !== exchange) return false;
    this.#exchange = undefined;
    this.#sink = undefined;
    this.#setFull(false);
    return true;
  }

  /** Begins the stream, with an event without data that gives the client an id to come back with. */
  openStream(first?: string): void {
    if (this.#sink || this.#isOver) return;
    const sink = this.#open();
    if (first) sink?.write(first);
    if (this.#keep) sink?.write(`id: ${this.#keep('')}\ndata: \n\n`);
  }

  /** A notification. False: it is not sent, since too much waits for the clients of the principal already. */
  offer(json: string): boolean {
    const account = this.#exchange?.ticket?.account;
    if (account?.isFull && json.length > MOST_WAITING_WHEN_FULL) {
      this.#setFull(true);
      return false;
    }
    this.event(json);
    return true;
  }

  /** A message before the answer. */
  event(json: string): void {
    if (this.#isOver) return;
    this.openStream();
    this.#write(json);
  }

  /** Keeps proxies and clients from closing a quiet stream. One that belongs to no call ends with the token it was opened with. */
  keepAlive(): void {
    const { principal, ticket } = this.#exchange ?? {};
    if (this.#isFull && !ticket?.account.isFull && !this.#sink?.waiting) this.#setFull(false); // nothing would drain
    if (principal?.expiresMs !== undefined && principal.expiresMs <= Date.now() && ticket?.isStream) this.end();
    else this.#sink?.write(':\n\n');
  }

  /** The last message. `status` is used unless the stream has begun. */
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
    this.#exchange = undefined; // what holds the reply for longer must not hold all of its connection's objects
    exchange?.answer(status, headers, json);
  }

  /** No answer will come. The stream ends; one without an event is not resumed. */
  withdraw(): void {
    if (this.#isOver) return;
    if (!this.#sink) this.#open();
    this.end();
  }

  end(): void {
    this.#isOver = true;
    this.#sink?.end();
  }

  #open(): EventSink | undefined {
    const sink = this.#exchange?.stream({ ...STREAM_HEADERS, ...this.#headers });
    const ticket = this.#exchange?.ticket;
    this.#sink = sink;
    if (sink)
      sink.ondrain = () => {
        ticket?.setUnread(0);
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
    const ticket = this.#exchange?.ticket;
    ticket?.setUnread(waiting);
    if (waiting > (ticket?.account.isFull ? MOST_WAITING_WHEN_FULL : MOST_WAITING_BYTES)) this.#setFull(true);
  }

  #setFull(isFull: boolean): void {
    if (this.#isFull === isFull) return;
    this.#isFull = isFull;
    this.onfull?.(isFull);
  }
}
