// Reports the traffic of a channel to another node to an observer. An exception of the observer does not affect the traffic.

import type { Clock } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import type { ObservedHop, WireObserver } from '../../transport/wire.ts';
import { type Payload, textOf } from '../payload.ts';

/** Minimum time between two requests for hops: each costs a message. */
const TRACE_EVERY_MS = 20;

export class ObservedChannel {
  readonly #observer: WireObserver | undefined;
  readonly #clock: Clock;
  readonly #report: (error: Error) => void;
  #tracedAtMs = Number.NEGATIVE_INFINITY;

  constructor(observer: WireObserver | undefined, clock: Clock, report: (error: Error) => void) {
    this.#observer = observer;
    this.#clock = clock;
    this.#report = report;
  }

  /** Whether to request the hops of the next request. */
  mayTrace(): boolean {
    if (!this.#observer?.hop) return false;
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#tracedAtMs < TRACE_EVERY_MS) return false;
    this.#tracedAtMs = nowMs;
    return true;
  }

  sent(payload: Payload): void {
    const observer = this.#observer;
    if (!observer) return;
    try {
      if (!observer.sentSpans) return observer.sent?.(textOf(payload));
      const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
      observer.sentSpans(bytes, [0, bytes.length]);
    } catch (thrown) {
      this.#report(toError(thrown));
    }
  }

  /** `data`: the bytes of the text, if it arrived over NATS. */
  received(text: string, data: Uint8Array | undefined): void {
    const observer = this.#observer;
    if (!observer) return;
    try {
      const bytes = data ?? Buffer.from(text);
      if (observer.receivedSpan) observer.receivedSpan(bytes, 0, bytes.length, 0);
      else observer.received?.(bytes, 0);
    } catch (thrown) {
      this.#report(toError(thrown));
    }
  }

  connected(url: string): void {
    this.#tell((observer) => observer.connected?.(url));
  }

  disconnected(reason: string | undefined): void {
    this.#tell((observer) => observer.disconnected?.(reason));
  }

  hop(hop: ObservedHop): void {
    this.#tell((observer) => observer.hop?.(hop));
  }

  #tell(act: (observer: WireObserver) => void): void {
    try {
      if (this.#observer) act(this.#observer);
    } catch (thrown) {
      this.#report(toError(thrown));
    }
  }
}
