// Reports the messages to and from other nodes to an observer. An exception of the observer does not affect the traffic.

import type { Clock } from '../../../base/clock.ts';
import { toError } from '../../../base/errors.ts';
import type { ObservedHop } from '../../../observe/flow/event.ts';
import type { WireObserver } from '../../../wire/wire.ts';
import { type Payload, textOfPayload } from '../parts.ts';

/** Minimum time between two requests that are traced: each trace costs a message. */
const TRACE_EVERY_MS = 20;

export interface FleetObserver extends WireObserver {
  /** Another node has answered a request. Called before the answer is reported. */
  hop?(hop: ObservedHop): void;
}

export class ObservedMessages {
  readonly #observer: FleetObserver | undefined;
  readonly #clock: Clock;
  readonly #report: (error: Error) => void;
  #tracedAtMs = Number.NEGATIVE_INFINITY;

  constructor(observer: FleetObserver | undefined, clock: Clock, report: (error: Error) => void) {
    this.#observer = observer;
    this.#clock = clock;
    this.#report = report;
  }

  mayTrace(): boolean {
    if (!this.#observer?.hop) return false;
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#tracedAtMs < TRACE_EVERY_MS) return false;
    this.#tracedAtMs = nowMs;
    return true;
  }

  sent(payload: Payload): void {
    if (!this.#observer) return;
    this.tell((observer) => {
      if (!observer.sentSpans) return observer.sent?.(textOfPayload(payload));
      const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
      observer.sentSpans(bytes, [0, bytes.length]);
    });
  }

  received(bytes: Uint8Array): void {
    if (!this.#observer) return;
    this.tell((observer) => {
      if (observer.receivedSpan) observer.receivedSpan(bytes, 0, bytes.length, 0);
      else observer.received?.(bytes, 0);
    });
  }

  tell(act: (observer: FleetObserver) => void): void {
    try {
      if (this.#observer) act(this.#observer);
    } catch (thrown) {
      this.#report(toError(thrown));
    }
  }
}
