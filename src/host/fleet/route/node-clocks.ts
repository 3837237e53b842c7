// Measures the offset of the wall clocks of other nodes by five round trips. The shortest is the most accurate; its offset may be
// wrong by half its duration. Measured again after 60 s, because clocks drift.

import { type Clock, systemClock } from '../../../base/clock.ts';
import type { ClusterNetwork } from '../cluster-network.ts';
import { askNode } from '../node/answer-node-requests.ts';
import { wallMs } from '../wall-clock.ts';

export interface ClockOffset {
  ms: number;
  uncertaintyMs: number;
}

const ROUND_TRIPS = 5;
const TIMEOUT_MS = 2_000;
const VALID_MS = 60_000;
/** Limit, including nodes that have left. */
const MOST_NODES = 10_000;

export class NodeClocks {
  readonly #network: ClusterNetwork;
  readonly #clock: Clock;
  readonly #wallMs: () => number;
  readonly #measured = new Map<string, { offset: ClockOffset | undefined; atMs: number }>();

  constructor(network: ClusterNetwork, clock: Clock = systemClock, wall: () => number = wallMs) {
    this.#network = network;
    this.#clock = clock;
    this.#wallMs = wall;
  }

  /** Returns the last measurement. Starts a new one if needed, without waiting for it. */
  offsetOf(node: string): ClockOffset | undefined {
    const known = this.#measured.get(node);
    if (!known || this.#clock.nowMs() - known.atMs > VALID_MS) void this.measure(node);
    return known?.offset;
  }

  /** Resolves to undefined if the node does not answer. */
  async measure(node: string): Promise<ClockOffset | undefined> {
    if (this.#measured.size >= MOST_NODES) this.#measured.delete(this.#measured.keys().next().value!);
    // Set at once, to prevent a second measurement.
    this.#measured.set(node, { offset: this.#measured.get(node)?.offset, atMs: this.#clock.nowMs() });
    let best: ClockOffset | undefined;
    for (let trip = 0; trip < ROUND_TRIPS; trip++) {
      const offset = await this.#roundTrip(node);
      if (!offset) break;
      if (!best || offset.uncertaintyMs < best.uncertaintyMs) best = offset;
    }
    if (best) this.#measured.set(node, { offset: best, atMs: this.#clock.nowMs() });
    return best;
  }

  async #roundTrip(node: string): Promise<ClockOffset | undefined> {
    const beganMs = this.#clock.nowMs();
    const beganWallMs = this.#wallMs();
    const answer = await askNode(this.#network, node, 'standpipe/ping', {}, TIMEOUT_MS).catch(() => undefined);
    if (typeof answer?.nowMs !== 'number') return undefined;
    const halfMs = (this.#clock.nowMs() - beganMs) / 2;
    return { ms: answer.nowMs - (beganWallMs + halfMs), uncertaintyMs: halfMs };
  }
}
