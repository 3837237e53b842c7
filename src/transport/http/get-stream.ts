// A stream of events that is opened by GET, and opened again where it ends: after the time that the server asks for, from the last
// event that came. It is either the stream for messages of the server, or the rest of the stream of a request.

import type { IncomingMessage } from 'node:http';
import type { Timer } from '../../base/clock.ts';
import { isUnauthorized } from '../../base/unauthorized.ts';
import type { EventReader } from './event-reader.ts';
import { HttpCall } from './http-call.ts';
import type { HttpConnection } from './http-connection.ts';
import { contentType } from './response-body.ts';

/** Why there is no stream any more. */
export interface StreamEnd {
  /** Undefined where no response came. */
  status: number | undefined;
  error: Error;
  /** The server does not know the session any more. */
  isSessionOver: boolean;
  /** Not one connection could be made, several times in a row. */
  isUnreachable: boolean;
}

/** Before the next connection, where the server does not say. */
const RETRY_MS = 1_000;
/** A server may ask for none at all. */
const SHORTEST_WAIT_MS = 25;
const LONGEST_WAIT_MS = 30_000;
const MOST_FAILURES = 5;
/** How long the beginning of a stream is waited for: some servers send it with the first event. */
const BEGIN_MS = 1_000;

export class GetStream {
  readonly #connection: HttpConnection;
  readonly #reader: EventReader;
  readonly #isLasting: boolean;
  readonly #over: (end: StreamEnd) => void;
  #call: HttpCall | undefined;
  #timer: Timer | undefined;
  #failures = 0;
  /** How many times in a row there was no response. */
  #unreached = 0;
  /** How many connections in a row ended soon, without an event. */
  #short = 0;
  #wasOpen = false;
  #isClosed = false;
  #begun: (() => void) | undefined;

  /** `isLasting`: a server that refuses it for now is asked again without end, less and less often. */
  constructor(connection: HttpConnection, reader: EventReader, isLasting: boolean, over: (end: StreamEnd) => void) {
    this.#connection = connection;
    this.#isLasting = isLasting;
    this.#reader = reader;
    this.#over = over;
  }

  /** Opens it. Resolves when the server has answered, or has not for a while. */
  begin(): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#connection.clock.after(BEGIN_MS, resolve);
      this.#begun = () => {
        timer.cancel();
        resolve();
      };
      this.open();
    });
  }

  open(): void {
    if (this.#isClosed) return;
    this.#timer = undefined;
    const { lastEventId } = this.#reader;
    this.#call = new HttpCall(
      this.#connection,
      { method: 'GET', headers: (authorization) => this.#connection.head.get(lastEventId, authorization) },
      { response: (response) => this.#response(response), failed: (error) => this.#failed(error, undefined) },
    );
  }

  /** After the wait that the server asked for. */
  reopen(): void {
    if (this.#isClosed) return;
    const { retryMs = RETRY_MS } = this.#reader;
    const doublings = this.#failures + (this.#reader.retryMs === undefined ? this.#short : 0);
    const waitMs = Math.max(SHORTEST_WAIT_MS, retryMs) * 2 ** Math.min(doublings, 10);
    // The server says when: only our own wait has a limit.
    this.#timer = this.#connection.clock.after(Math.max(retryMs, Math.min(waitMs, LONGEST_WAIT_MS)), () => this.open());
  }

  close(): void {
    this.#isClosed = true;
    this.#begun?.();
    this.#timer?.cancel();
    this.#call?.destroy();
  }

  #response(response: IncomingMessage): void {
    const status = response.statusCode!;
    if (this.#isClosed) return void response.destroy();
    this.#begun?.();
    if (status === 200 && contentType(response) === 'text/event-stream') {
      this.#wasOpen = true;
      this.#failures = 0;
      this.#unreached = 0;
      return this.#read(response);
    }
    response.destroy();
    const said = status === 200 ? `a response of the type ${contentType(response)}` : `HTTP status ${status}`;
    this.#failed(new Error(`The server answered with ${said} instead of a stream of events`), status);
  }

  #read(response: IncomingMessage): void {
    const { clock } = this.#connection;
    const [sinceMs, eventsBefore] = [clock.nowMs(), this.#reader.events];
    this.#reader.read(response, this.#call?.seen, () => {
      const isShort = this.#reader.events === eventsBefore && clock.nowMs() - sinceMs < LONGEST_WAIT_MS;
      this.#short = isShort ? this.#short + 1 : 0;
      this.reopen();
    });
  }

  #failed(error: Error, status: number | undefined): void {
    if (this.#isClosed) return;
    this.#begun?.();
    this.#failures++;
    this.#unreached = status === undefined ? this.#unreached + 1 : 0;
    const isRefused = isUnauthorized(error) || (status !== undefined && status < 500 && status !== 429);
    const isUnreachable = !isRefused && this.#unreached >= MOST_FAILURES;
    const isGivenUp = !this.#isLasting && this.#failures >= MOST_FAILURES;
    if (!isRefused && !isUnreachable && !isGivenUp) return this.reopen();
    this.close();
    // A server that has no such stream may answer with 404 too. If the session is over, the next POST shows it.
    const mayBeSession = this.#wasOpen || !this.#isLasting;
    this.#over({
      status,
      error,
      isSessionOver: status === 404 && mayBeSession && this.#connection.session.id !== undefined,
      isUnreachable,
    });
  }
}
