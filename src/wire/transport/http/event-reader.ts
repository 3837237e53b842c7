// Reads one server event stream as messages and tracks where it can be resumed. A reader is reused when the connection
// is cut and reopened.

import type { IncomingMessage } from 'node:http';
import { LONGEST_TIMER_MS } from '../../../base/clock.ts';
import type { ExchangeObserver } from '../../wire.ts';
import { EventStream } from './event-stream.ts';
import type { HttpConnection } from './http-connection.ts';

export interface EventSinks {
  /** A message, chunk[start, end). */
  message(chunk: Uint8Array, start: number, end: number): void;
  /** An event whose type is not `message`. */
  event?(type: string, data: string): void;
  tooLong(bytes: number): void;
}

/** Number of event ids kept to recognise repeated events. */
const MOST_IDS = 512;

/** Event ids that a header can carry. */
const usable = /^[\x21-\x7e](?:[\x20-\x7e]{0,1022}[\x21-\x7e])?$/;

export class EventReader {
  /** The id of the last event; undefined if the stream cannot be resumed. */
  lastEventId: string | undefined;
  /** The reconnection delay requested by the server. */
  retryMs: number | undefined;
  /** Number of events received. */
  events = 0;
  readonly #sinks: EventSinks;
  readonly #connection: HttpConnection;
  readonly #ids = new Set<string>();
  /**
   * Event ids of earlier connections. Ids of the current one do not count: some servers give all events the same id.
   */
  #before: ReadonlySet<string> | undefined;
  #isRepeated = false;
  #seen: ExchangeObserver | undefined;

  constructor(connection: HttpConnection, sinks: EventSinks) {
    this.#sinks = sinks;
    this.#connection = connection;
  }

  /** `seen`: observer of the response. `ended`: called without an error if the server ended the response. */
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
