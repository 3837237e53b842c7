// Requests that their clients gave up and that the server has not answered. A server that honours the cancellation
// never answers them, so they are forgotten after a time.

import type { Clock } from '../../../base/clock.ts';
import type { ClientKey } from './gated-request.ts';

/** How long the server may still ask questions because of such a request. */
export const ABANDONED_MS = 30_000;
/** Replaces ABANDONED_MS for a server that was seen to continue after a cancellation: it will answer. */
export const IGNORED_MS = 10 * 60_000;
/**
 * If a request is given up during its question, the question is answered with an error. The request may take this long
 * to end because of it.
 */
const ENDING_MS = 1_000;
/** A result that arrives later than this after the cancellation was not already on its way when the cancellation was sent. */
const CROSSING_MS = 1_000;
/** Beyond this number, the oldest are merged into one request from an unknown client. */
const MOST_REQUESTS = 1_000;

interface Abandoned {
  client: ClientKey;
  principal: string | undefined;
  sinceMs: number;
  untilMs: number;
}

export class AbandonedRequests {
  readonly #clock: Clock;
  readonly #byId = new Map<number, Abandoned>();
  #forMs = ABANDONED_MS;
  /** The time until which a request from an unknown client may exist; 0 if there is none. */
  #unknownUntilMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(id: number, { client, principal }: Pick<Abandoned, 'client' | 'principal'>): void {
    const nowMs = this.#clock.nowMs();
    const [oldest] = this.#byId;
    if (oldest && this.#byId.size >= MOST_REQUESTS) {
      this.#unknownUntilMs = Math.max(this.#unknownUntilMs, oldest[1].untilMs);
      this.#byId.delete(oldest[0]);
    }
    this.#byId.set(id, { client, principal, sinceMs: nowMs, untilMs: nowMs + this.#forMs });
  }

  has(id: number): boolean {
    return this.#byId.has(id);
  }

  answered(id: number, isResult: boolean): void {
    const request = this.#byId.get(id);
    if (!request) return;
    this.#byId.delete(id);
    if (isResult && this.#clock.nowMs() - request.sinceMs > CROSSING_MS) this.#forMs = IGNORED_MS;
  }

  /** Calls `run` unless the request is answered within ENDING_MS. */
  unlessAnswered(id: number, run: () => void): void {
    const timer = this.#clock.after(ENDING_MS, () => {
      if (this.#byId.has(id)) run();
    });
    timer.keepAlive(false);
  }

  /** The clients of the requests with a smaller id. */
  *clientsBefore(id: number): Iterable<ClientKey> {
    for (const [each, { client }] of this.#byId) if (each < id) yield client;
    if (this.#unknownUntilMs > 0 && id > 0) yield 'unknown';
  }

  /** Whether another client of the same principal has given up a request. */
  hasBeside({ client, principal }: Pick<Abandoned, 'client' | 'principal'>): boolean {
    for (const each of this.#byId.values()) if (each.client !== client && each.principal === principal) return true;
    return false;
  }

  /** The time when the next request is forgotten. */
  get nextMs(): number {
    for (const { untilMs } of this.#byId.values()) return untilMs;
    return this.#unknownUntilMs > 0 ? this.#unknownUntilMs : Number.POSITIVE_INFINITY;
  }

  /**
   * Requests are kept in the order in which they were given up. One that is kept longer also keeps those after it,
   * which is safe.
   */
  forgetOld(): void {
    const nowMs = this.#clock.nowMs();
    if (this.#unknownUntilMs <= nowMs) this.#unknownUntilMs = 0;
    for (const [id, { untilMs }] of this.#byId) {
      if (untilMs > nowMs) return;
      this.#byId.delete(id);
    }
  }
}
