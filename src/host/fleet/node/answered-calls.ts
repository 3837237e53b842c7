// Keeps sent answers for a limited time: an answer can be lost with the connection to NATS, and the calling node then asks for it.
// They are kept in two halves. When the newer one is full or old enough, the older one is dropped as a whole, so that keeping an
// answer costs one Map entry and no later work. For each node, the highest number of its dropped calls is remembered, so that it is
// known for every call whether it certainly never arrived.

import type { Clock, Timer } from '../../../base/clock.ts';
import type { Payload } from '../payload.ts';
import type { CallingNode, CallingNodes } from './calling-nodes.ts';

export interface KeptLimits {
  /** Limits of all kept answers. */
  maxKept: number;
  maxKeptChars: number;
  /** Answers are kept between half of this time and this time, or shorter if `maxKept` or `maxKeptChars` is reached. */
  keptMs: number;
}

/** Stands for an answer that is too long to be kept, and for a cancelled call. */
const NOTHING = '';

export class AnsweredCalls {
  readonly #limits: KeptLimits;
  readonly #clock: Clock;
  readonly #nodes: CallingNodes;
  #newer = new Map<string, Payload>();
  #older = new Map<string, Payload>();
  #newerChars = 0;
  #timer: Timer | undefined;

  constructor(limits: KeptLimits, clock: Clock, nodes: CallingNodes) {
    this.#limits = limits;
    this.#clock = clock;
    this.#nodes = nodes;
  }

  get size(): number {
    return this.#newer.size + this.#older.size;
  }

  /** Empty: the call has ended, and its answer is not kept. Undefined: the call is unknown here. */
  get(reply: string): Payload | undefined {
    return this.#newer.get(reply) ?? this.#older.get(reply);
  }

  add(caller: CallingNode, number: number, reply: string, answer: Payload = NOTHING): void {
    const { maxKept, maxKeptChars, keptMs } = this.#limits;
    const chars = reply.length + answer.length;
    const isTooLong = chars > maxKeptChars / 2;
    if (this.#newer.size >= maxKept / 2 || (!isTooLong && this.#newerChars + chars > maxKeptChars / 2))
      this.#dropOlder();
    this.#newer.set(reply, isTooLong ? NOTHING : answer);
    this.#newerChars += isTooLong ? reply.length : chars;
    if (number > caller.newer) caller.newer = number;
    if (this.#timer) return;
    this.#timer = this.#clock.after(keptMs / 2, () => this.#tick());
    this.#timer.keepAlive(false);
  }

  clear(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#dropOlder();
    this.#dropOlder();
  }

  #tick(): void {
    this.#timer = undefined;
    this.#dropOlder();
    if (this.#older.size === 0) return;
    this.#timer = this.#clock.after(this.#limits.keptMs / 2, () => this.#tick());
    this.#timer.keepAlive(false);
  }

  #dropOlder(): void {
    for (const caller of this.#nodes.values()) {
      if (caller.older > caller.forgotten) caller.forgotten = caller.older;
      caller.older = caller.newer;
      caller.newer = 0;
    }
    this.#older = this.#newer;
    this.#newer = new Map();
    this.#newerChars = 0;
  }
}
