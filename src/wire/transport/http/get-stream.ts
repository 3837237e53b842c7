// An event stream opened with GET and reopened when it ends, after the delay that the server requests and from the last received event. It
// carries either unsolicited server messages or the rest of a request's stream.

import type { IncomingMessage } from 'node:http';
import type { Timer } from '../../../base/clock.ts';
import { isUnauthorized } from '../../../base/errors.ts';
import type { EventReader } from './event-reader.ts';
import { HttpCall } from './http-call.ts';
import type { HttpConnection } from './http-connection.ts';
import { contentType } from './response-body.ts';

/** Describes why the stream ended for good. */
export interface StreamEnd {
  /** The status of the response; undefined if there was none. */
  status: number | undefined;
  error: Error;
  /** The server no longer knows the session. */
  isSessionOver: boolean;
  /** Several connection attempts in a row failed. */
  isUnreachable: boolean;
}

/** Reconnection delay if the server does not send one. */
const RETRY_MS = 1_000;
/** Lower bound, because a server may request 0 ms. */
const SHORTEST_WAIT_MS = 25;
const LONGEST_WAIT_MS = 30_000;
const MOST_FAILURES = 5;
/** Time to wait for the response headers. Some servers send them with the first event. */
const BEGIN_MS = 1_000;

export class GetStream {
  readonly #connection: HttpConnection;
  readonly #reader: EventReader;
  readonly #isLasting: boolean;
  readonly #over: (end: StreamEnd) => void;
  #call: HttpCall | undefined;
  #timer: Timer | undefined;
  #failures = 0;
  /** Number of consecutive attempts without a response. */
  #unreached = 0;
  /** Number of consecutive connections that ended early without an event. */
  #short = 0;
  #wasOpen = false;
  #isClosed = false;
  #begun: (() => void) | undefined;

  /** `isLasting`: after a temporary refusal, retry forever with growing delays. */
  constructor(connection: HttpConnection, reader: EventReader, isLasting: boolean, over: (end: StreamEnd) => void) {
    this.#connection = connection;
    this.#isLasting = isLasting;
    this.#reader = reader;
    this.#over = over;
  }

  /** Opens the stream. Resolves when the server has responded, or after `BEGIN_MS`. */
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

  /** Opens the stream again after the delay that the server requested. */
  reopen(): void {
    if (this.#isClosed) return;
    const { retryMs = RETRY_MS } = this.#reader;
    const doublings = this.#failures + (this.#reader.retryMs === undefined ? this.#short : 0);
    const waitMs = Math.max(SHORTEST_WAIT_MS, retryMs) * 2 ** Math.min(doublings, 10);
    // A delay requested by the server is not limited; only our backoff is.
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
    // A server without this stream may also respond with 404. If the session is over, the next POST shows it.
    const mayBeSession = this.#wasOpen || !this.#isLasting;
    this.#over({
      status,
      error,
      isSessionOver: status === 404 && mayBeSession && this.#connection.session.id !== undefined,
      isUnreachable,
    });
  }
}
