// Incoming requests, in any protocol: a limited number runs at a time and a limited number waits. Both are also limited
// in bytes: a request is kept until it is answered, and a few long ones take as much memory as many short ones. Nothing
// more is started while too many answers are unread (`hold`).

import { Cancellable } from '../../base/cancel-signal.ts';
import { isThenable } from '../../base/wait.ts';
import { InFlight } from './in-flight.ts';

/** Four times the default maximum frame size. */
export const DEFAULT_MAX_INBOUND_BYTES = 256 * 1024 * 1024;

/** One incoming request. It is cancelled when the other end cancels it or disconnects. */
export abstract class QueuedRequest<Id = unknown> extends Cancellable {
  /** An id that is unique among the requests of the queue. */
  abstract readonly id: Id;
  /** The bytes that the queue counts for this request while it runs or waits. */
  heldBytes = 0;

  /** Estimated memory of the request in bytes. */
  abstract get bytes(): number;
  abstract run(): unknown;
}

export interface QueueLimits {
  maxConcurrent: number;
  maxQueued: number;
  /** The maximum bytes of running and waiting requests together. A single request is accepted whatever its size. */
  maxInboundBytes: number;
}

export interface QueueOptions<T> extends QueueLimits {
  /** Called once for each request that has run, with its result or its error. */
  settled: (request: T, result: unknown, error: unknown) => void;
}

/** The reason why a request was not accepted. */
export interface QueueRefusal {
  message: string;
  limits: Partial<QueueLimits>;
}

export class RequestQueue<Id, T extends QueuedRequest<Id>> {
  readonly #options: QueueOptions<T>;
  readonly #running = new InFlight<Id, T>();
  readonly #waiting = new InFlight<Id, T>();
  #counted = 0;
  /** The bytes of all counted and waiting requests. */
  #heldBytes = 0;
  #held = false;
  #pumping = false;

  constructor(options: QueueOptions<T>) {
    this.#options = options;
  }

  /** Requests that still run after the turn in which they were started. */
  get running(): Pick<InFlight<Id, T>, 'size' | 'values'> {
    return this.#running;
  }

  /** The number of running and waiting requests. */
  get size(): number {
    return this.#running.size + this.#waiting.size;
  }

  get(id: Id): T | undefined {
    return this.size === 0 ? undefined : (this.#waiting.get(id) ?? this.#running.get(id));
  }

  /**
   * `bytes` is the length on the wire. If it is unknown, only requests that have to wait are measured. With `atOnce`,
   * the request runs now or is refused.
   */
  add(request: T, bytes?: number, atOnce = false): QueueRefusal | undefined {
    const { maxConcurrent, maxQueued, maxInboundBytes } = this.#options;
    const waits = !atOnce && (this.#held || this.#counted >= maxConcurrent);
    if (atOnce ? this.size >= maxConcurrent + maxQueued : waits && this.#waiting.size >= maxQueued) {
      const message = `Too many requests: ${this.#counted} running and ${maxQueued} waiting; send it again later`;
      return { message, limits: { maxConcurrent, maxQueued } };
    }
    const size = bytes ?? (waits ? request.bytes : 0);
    if (this.#heldBytes > 0 && this.#heldBytes + size > maxInboundBytes) {
      const held = `pending requests have ${this.#heldBytes}, this one has ${size}, and the limit is ${maxInboundBytes}`;
      return { message: `Too many request bytes: ${held}; send it again later`, limits: { maxInboundBytes } };
    }
    request.heldBytes = size;
    this.#heldBytes += size;
    if (waits) this.#waiting.add(request.id, request);
    else this.#run(request, !atOnce);
    return undefined;
  }

  /** Runs the request outside the limits. */
  runNow(request: T): void {
    this.#run(request, false);
  }

  /** While held, running requests may finish and `runNow` still works; all other requests wait. */
  hold(on: boolean): void {
    this.#held = on;
    if (!on) this.#runWaiting();
  }

  /** Removes a waiting request. Returns false if the request is not waiting. */
  withdraw(request: T): boolean {
    if (!this.#waiting.take(request.id)) return false;
    this.#heldBytes -= request.heldBytes;
    return true;
  }

  /** Call this when the other end has disconnected: waiting requests never run, and running ones are aborted. */
  cancelAll(reason: unknown): void {
    for (const { heldBytes } of this.#waiting.takeAll()) this.#heldBytes -= heldBytes;
    for (const request of this.#running.values()) request.cancel(reason);
  }

  #run(request: T, counts: boolean): void {
    if (counts) this.#counted++;
    let outcome: unknown;
    try {
      outcome = request.run();
    } catch (error) {
      return this.#settle(request, counts, undefined, error ?? new Error('Handler threw nothing'));
    }
    if (isThenable(outcome)) {
      // Only requests that continue after this turn can be cancelled.
      this.#running.add(request.id, request);
      outcome.then(
        (result) => this.#settle(request, counts, result, undefined),
        (error) => this.#settle(request, counts, undefined, error ?? new Error('Handler threw nothing')),
      );
    } else {
      this.#settle(request, counts, outcome, undefined);
    }
  }

  #settle(request: T, counted: boolean, result: unknown, error: unknown): void {
    this.#running.delete(request.id);
    try {
      this.#options.settled(request, result, error);
    } finally {
      this.#heldBytes -= request.heldBytes;
      if (counted) {
        this.#counted--;
        this.#runWaiting();
      }
    }
  }

  /** A loop rather than recursion: handlers that answer at once must not pile up on the stack. */
  #runWaiting(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      while (!this.#held && this.#counted < this.#options.maxConcurrent && this.#waiting.size > 0) {
        const next = this.#waiting.values().next().value!;
        this.#waiting.delete(next.id);
        this.#run(next, true);
      }
    } finally {
      this.#pumping = false;
    }
  }
}
