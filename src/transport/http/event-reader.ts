// One stream of a server: its events as messages, and where it can be resumed. It lives on when its connection is cut.

import type { IncomingMessage } from 'node:http';
import { LONGEST_TIMER_MS } from '../../base/clock.ts';
import type { ExchangeObserver } from '../wire.ts';
import { EventStream } from './event-stream.ts';
import type { HttpConnection } from './http-connection.ts';

export interface EventSinks {
  /** A message, chunk[start, end). */
  message(chunk: Uint8Array, start: number, end: number): void;
  /** An event of another type than `message`. */
  event?(type: string, data: string): void;
  tooLong(bytes: number): void;
}

/** How many ids are kept to recognise events that come twice. */
const MOST_IDS = 512;

/** Ids that a header can carry. */
const usable = /^[\x21-\x7e](?:[\x20-\x7e]{0,1022}[\x21-\x7e])?$/;

export class EventReader {
  /** Undefined where the stream cannot be resumed. */
  lastEventId: string | undefined;
  /** What the server asks to wait before the next connection. */
  retryMs: number | undefined;
  /** How many events came. */
  events = 0;
  readonly #sinks: EventSinks;
  readonly #connection: HttpConnection;
  readonly #ids = new Set<string>();
  /** Those of the connections before this one. Some servers give all events the same id. */
  #before: ReadonlySet<string> | undefined;
  #isRepeated = false;
  #seen: ExchangeObserver | undefined;

  constructor(connection: HttpConnection, sinks: EventSinks) {
    this.#sinks = sinks;
    this.#connection = connection;
  }

  /** `seen`: what an observer sees of the response. `ended`: without an error where the server ended the response. */
  read(response: IncomingMessage, seen: ExchangeObserver | undefined, ended: (error: Error | undefined) => void): void {
    if (this.#ids.size > 0) this.#before = new Set(this.#ids);
    this.#seen = seen;
    const events = new EventStream(this, this.#connection.maxBytes);
    response.on('data', (chunk: Buffer) => events.push(chunk));
    response.on('end', () => ended(undefined));
    response.on('error', ended);
    this.#connection.reads(response);
  }

  id(id: string, hasData: boolean): void {
    this.events++;
    this.#isRepeated = hasData && this.#before?.has(id) === true;
    this.lastEventId = usable.test(id) ? id : undefined;
    if (this.lastEventId === undefined) return;
    this.#ids.add(id);
    if (this.#ids.size > MOST_IDS) for (const oldest of this.#ids) return void this.#ids.delete(oldest);
  }

  data(chunk: Uint8Array, start: number, end: number): void {
    this.events++;
    if (this.#isRepeated) this.#isRepeated = false;
    else {
      this.#seen?.received(chunk, start, end);
      this.#sinks.message(chunk, start, end);
    }
  }

  other(type: string, data: string): void {
    this.events++;
    this.#isRepeated = false;
    this.#sinks.event?.(type, data);
  }

  retry(ms: number): void {
    this.retryMs = Math.min(ms, LONGEST_TIMER_MS);
  }

  tooLong(bytes: number): void {
    this.#isRepeated = false;
    this.#seen?.tooLong?.(bytes);
    this.#sinks.tooLong(bytes);
  }
}
