// Requests that ask questions and wait to be sent until those of other clients of their principal have ended. They are
// sent in order of arrival for each principal, independently of other principals. The wait counts toward the timeout of
// the request and ends with the signal of its caller.

import type { Clock } from '../../../base/clock.ts';
import { PeerError, RpcCode, RpcError } from '../../../base/errors.ts';
import { Deadlines } from '../../../wire/requests/deadlines.ts';
import type { GatedRequest } from './gated-request.ts';

/** The maximum number of waiting requests per principal. More are refused. */
export const MOST_WAITING = 1_000;

interface Waiting {
  request: GatedRequest;
  sinceMs: number;
  dueMs: number;
  start: () => void;
  fail: (error: unknown) => void;
}

export class WaitingRequests {
  readonly #clock: Clock;
  readonly #requestTimeoutMs: number;
  readonly #onLeft: () => void;
  readonly #queue = new Set<Waiting>();
  /** The queue by principal, so that after each answer only the requests of one principal are examined. */
  readonly #byPrincipal = new Map<string | undefined, Set<Waiting>>();
  readonly #deadlines: Deadlines<Waiting>;

  /** `onLeft` is called when a request has left the queue without being sent. */
  constructor(clock: Clock, requestTimeoutMs: number, onLeft: () => void) {
    this.#clock = clock;
    this.#requestTimeoutMs = requestTimeoutMs;
    this.#onLeft = onLeft;
    this.#deadlines = new Deadlines(clock, this.#queue, (waiting) => this.#leave(waiting, tooLong(waiting)));
  }

  get size(): number {
    return this.#queue.size;
  }

  /** The time since which the first request of a principal waits; Infinity if none does. */
  sinceMs(principal: string | undefined): number {
    for (const { sinceMs } of this.#byPrincipal.get(principal) ?? []) return sinceMs;
    return Number.POSITIVE_INFINITY;
  }

  add<T>(request: GatedRequest, send: () => Promise<T>): Promise<T> {
    const { signal, timeoutMs = this.#requestTimeoutMs, totalTimeoutMs = Number.POSITIVE_INFINITY } = request;
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#isFullFor(request)) return Promise.reject(tooMany());
    return new Promise((resolve, reject) => {
      const sinceMs = this.#clock.nowMs();
      const abort = () => this.#leave(waiting, signal!.reason);
      const waiting: Waiting = {
        request,
        sinceMs,
        dueMs: sinceMs + Math.min(timeoutMs, totalTimeoutMs),
        start: () => {
          signal?.removeEventListener('abort', abort);
          request.waited(this.#clock.nowMs() - sinceMs, this.#requestTimeoutMs);
          send().then(resolve, reject);
        },
        fail: (error) => {
          signal?.removeEventListener('abort', abort);
          reject(error);
        },
      };
      signal?.addEventListener('abort', abort);
      this.#queue.add(waiting);
      const own = this.#byPrincipal.get(request.principal);
      if (own) own.add(waiting);
      else this.#byPrincipal.set(request.principal, new Set([waiting]));
      this.#deadlines.added(waiting);
    });
  }

  /** Starts the first requests of each principal that may run. Each is pending before the next is checked. */
  start(mayStart: (request: GatedRequest) => boolean): void {
    for (const own of [...this.#byPrincipal.values()]) {
      for (const waiting of own) {
        if (!mayStart(waiting.request)) break;
        this.#remove(waiting);
        waiting.start();
      }
    }
  }

  /** Fails all waiting requests, which were never sent. */
  close(cause: Error | undefined): void {
    const why = `The call was never sent: it waited for calls of other clients when the connection ended`;
    for (const waiting of [...this.#queue]) {
      this.#remove(waiting);
      waiting.fail(
        new PeerError('NOT_SENT', why, { cause, hint: 'The request did not run; sending it again is safe.' }),
      );
    }
    this.#deadlines.stop();
  }

  #isFullFor({ principal }: GatedRequest): boolean {
    return (this.#byPrincipal.get(principal)?.size ?? 0) >= MOST_WAITING;
  }

  #leave(waiting: Waiting, error: unknown): void {
    this.#remove(waiting);
    waiting.fail(error);
    this.#onLeft();
  }

  #remove(waiting: Waiting): void {
    this.#queue.delete(waiting);
    const own = this.#byPrincipal.get(waiting.request.principal);
    own?.delete(waiting);
    if (own?.size === 0) this.#byPrincipal.delete(waiting.request.principal);
    if (this.#queue.size === 0) this.#deadlines.idle();
  }
}

const HINT =
  'The questions of the server do not name a call, so tools that ask questions run for one client at a time. ' +
  'Give each client its own process: "share": "client" in the config.';

function tooLong({ sinceMs, dueMs, request }: Waiting): RpcError {
  const message = `${request.shownName} was not sent within ${dueMs - sinceMs} ms: calls of other clients had to end first`;
  return new RpcError(RpcCode.serverBusy, message, undefined, { hint: HINT });
}

function tooMany(): RpcError {
  const message = `${MOST_WAITING} calls wait for calls of other clients to end`;
  return new RpcError(RpcCode.serverBusy, message, undefined, { hint: HINT });
}
