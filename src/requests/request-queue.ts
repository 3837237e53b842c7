// Requests of the other end, in any protocol: at most so many run at a time, and a bounded number waits. Both are bounded in
// bytes too: a request is kept until it was answered, and a few long ones take as much as many short ones. While too many
// answers wait to be read (`hold`), nothing more is started.

import { type CancelListener, type CancelSignal, toAbortSignal } from '../base/cancel-signal.ts';
import { isThenable } from '../base/wait.ts';
import { InFlight } from './in-flight.ts';

/** Four of the longest messages that are read by default. */
export const DEFAULT_MAX_INBOUND_BYTES = 256 * 1024 * 1024;

/** One request of the other end. */
export abstract class QueuedRequest<Id = unknown> implements CancelSignal {
  /** Unique among the requests of the queue. */
  abstract readonly id: Id;
  /** What the queue counts for it while it runs or waits. */
  heldBytes = 0;
  #cancelled: { reason: unknown } | undefined;
  #signal: AbortSignal | undefined;
  #listeners: CancelListener[] | undefined;

  /** What it takes to keep this request, about. */
  abstract get bytes(): number;
  abstract run(): unknown;

  get cancelled(): boolean {
    return this.#cancelled !== undefined;
  }

  /** Aborts when the other end cancels, or goes away. Made on first use: most handlers never look. */
  get signal(): AbortSignal {
    this.#signal ??= toAbortSignal(this);
    return this.#signal;
  }

  get aborted(): boolean {
    return this.#cancelled !== undefined;
  }

  get reason(): unknown {
    return this.#cancelled?.reason;
  }

  addEventListener(_type: 'abort', listener: CancelListener): void {
    if (this.#listeners) this.#listeners.push(listener);
    else this.#listeners = [listener];
  }

  removeEventListener(_type: 'abort', listener: CancelListener): void {
    this.#listeners = this.#listeners?.filter((each) => each !== listener);
  }

  cancel(reason: unknown): void {
    if (this.#cancelled) return;
    this.#cancelled = { reason };
    for (const listener of this.#listeners ?? []) {
      if (typeof listener === 'function') listener();
      else listener.handleEvent();
    }
  }
}

export interface QueueLimits {
  maxConcurrent: number;
  maxQueued: number;
  /** What may run and wait in all. A single request is accepted whatever its size. */
  maxInboundBytes: number;
}

export interface QueueOptions<T> extends QueueLimits {
  /** Called once for each request that has run, with its result or with its error. */
  settled: (request: T, result: unknown, error: unknown) => void;
}

/** Why a request was not accepted. */
export interface QueueRefusal {
  message: string;
  limits: Partial<QueueLimits>;
}

export class RequestQueue<Id, T extends QueuedRequest<Id>> {
  readonly #options: QueueOptions<T>;
  readonly #running = new InFlight<Id, T>();
  readonly #waiting = new InFlight<Id, T>();
  #counted = 0;
  /** Of the requests that are counted, and of those that wait. */
  #heldBytes = 0;
  #held = false;
  #pumping = false;

  constructor(options: QueueOptions<T>) {
    this.#options = options;
  }

  /** Those that run on after the turn in which they were started. */
  get running(): Pick<InFlight<Id, T>, 'size' | 'values'> {
    return this.#running;
  }

  /** How many run or wait. */
  get size(): number {
    return this.#running.size + this.#waiting.size;
  }

  get(id: Id): T | undefined {
    return this.size === 0 ? undefined : (this.#waiting.get(id) ?? this.#running.get(id));
  }

  /**
   * `bytes`: what it had on the wire. Where that is unknown, only requests that have to wait are measured. `atOnce`: it runs now or
   * is refused.
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
      const held = `those that run or wait have ${this.#heldBytes} bytes, this one ${size}, and ${maxInboundBytes} may be held`;
      return { message: `Requests too long: ${held}; send it again later`, limits: { maxInboundBytes } };
    }
    request.heldBytes = size;
    this.#heldBytes += size;
    if (waits) this.#waiting.add(request.id, request);
    else this.#run(request, !atOnce);
    return undefined;
  }

  /** Outside of the limits. */
  runNow(request: T): void {
    this.#run(request, false);
  }

  /** Running requests may end, and `runNow` still runs; the rest waits until this is taken back. */
  hold(on: boolean): void {
    this.#held = on;
    if (!on) this.#runWaiting();
  }

  /** Returns false for a request that does not wait. */
  withdraw(request: T): boolean {
    if (!this.#waiting.take(request.id)) return false;
    this.#heldBytes -= request.heldBytes;
    return true;
  }

  /** The other end is gone: what waits never runs, and what runs is aborted. */
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
      // Only what goes on after this turn can be cancelled.
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
    this.#options.settled(request, result, error);
    this.#heldBytes -= request.heldBytes;
    if (!counted) return;
    this.#counted--;
    this.#runWaiting();
  }

  /** A loop, not a recursion: handlers that answer at once must not pile up on the stack. */
  #runWaiting(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    while (!this.#held && this.#counted < this.#options.maxConcurrent && this.#waiting.size > 0) {
      const next = this.#waiting.values().next().value!;
      this.#waiting.delete(next.id);
      this.#run(next, true);
    }
    this.#pumping = false;
  }
}
