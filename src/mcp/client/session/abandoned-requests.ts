// Requests that their clients gave up and that the server has not answered. A server that obeys the cancellation never answers
// them, so that they are forgotten after a time.

import type { Clock } from '../../../base/clock.ts';
import type { ClientKey } from './gated-request.ts';

/** How long the server may still ask because of such a request. */
export const ABANDONED_MS = 30_000;
/** The same for a server that was seen to go on after a cancellation: it will answer. */
export const IGNORED_MS = 10 * 60_000;
/** How long a request that is given up during its question may take to end by the error that answers the question. */
const ENDING_MS = 1_000;
/** A result that comes later than this after the cancellation did not cross it on the way. */
const CROSSING_MS = 1_000;
/** Beyond this, the oldest are kept as one of an unknown client. */
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
  /** Until when there is one of an unknown client. */
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

  /** Runs it unless the request is answered soon. */
  unlessAnswered(id: number, run: () => void): void {
    const timer = this.#clock.after(ENDING_MS, () => {
      if (this.#byId.has(id)) run();
    });
    timer.keepAlive(false);
  }

  /** The clients of those with a smaller id. */
  *clientsBefore(id: number): Iterable<ClientKey> {
    for (const [each, { client }] of this.#byId) if (each < id) yield client;
    if (this.#unknownUntilMs > 0 && id > 0) yield 'unknown';
  }

  /** Whether another client of the same principal has one. */
  hasBeside({ client, principal }: Pick<Abandoned, 'client' | 'principal'>): boolean {
    for (const each of this.#byId.values()) if (each.client !== client && each.principal === principal) return true;
    return false;
  }

  /** When the next is forgotten. */
  get nextMs(): number {
    for (const { untilMs } of this.#byId.values()) return untilMs;
    return this.#unknownUntilMs > 0 ? this.#unknownUntilMs : Number.POSITIVE_INFINITY;
  }

  /** In the order in which they were given up: one that is kept for longer keeps those after it, which is safe. */
  forgetOld(): void {
    const nowMs = this.#clock.nowMs();
    if (this.#unknownUntilMs <= nowMs) this.#unknownUntilMs = 0;
    for (const [id, { untilMs }] of this.#byId) {
      if (untilMs > nowMs) return;
      this.#byId.delete(id);
    }
  }
}
