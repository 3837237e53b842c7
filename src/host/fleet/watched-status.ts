// The status of the fleet as a node reports it to programs that poll it, such as pages of its Inspector. While they do, the directory
// is watched instead of being read each time. Without NATS, the last known state is reported, with that fact.

import { type Clock, systemClock, type Timer } from '../../base/clock.ts';
import type { ClusterNetwork } from './cluster-network.ts';
import type { FleetStatus, NodeStatus } from './fleet-status.ts';
import { FleetState } from './place/fleet-state.ts';
import type { FleetView } from './place/plan.ts';
import { fleetStatusOf, readFleetStatus } from './read-status.ts';

/** The directory is watched for this long after the last request. */
const IDLE_MS = 10_000;

interface WatchedStatusOptions {
  offsetOf: (node: string) => NodeStatus['clockOffset'];
  /** The state that the node knows without a request. */
  known: () => FleetView;
  clock?: Clock | undefined;
}

export class WatchedStatus {
  readonly #network: ClusterNetwork;
  readonly #node: string;
  readonly #offsetOf: (node: string) => NodeStatus['clockOffset'];
  readonly #clock: Clock;
  #state: Promise<FleetState> | undefined;
  #idle: Timer | undefined;
  readonly #known: () => FleetView;
  #placer: string | undefined;

  constructor(network: ClusterNetwork, node: string, { offsetOf, known, clock = systemClock }: WatchedStatusOptions) {
    this.#network = network;
    this.#node = node;
    this.#offsetOf = offsetOf;
    this.#known = known;
    this.#clock = clock;
  }

  async read(): Promise<FleetStatus> {
    this.#idle?.cancel();
    this.#idle = this.#clock.after(IDLE_MS, () => this.stop());
    this.#idle.keepAlive(false);
    if (!this.#network.isConnected) return this.#lastKnown();
    try {
      const status = await this.#read();
      this.#placer = status.placer;
      return status;
    } catch (error) {
      this.stop();
      if (this.#network.isConnected) throw error;
      return this.#lastKnown();
    }
  }

  stop(): void {
    this.#idle?.cancel();
    void this.#state?.then((state) => state.stop()).catch(() => undefined); // it was never begun
    this.#state = undefined;
  }

  #lastKnown(): FleetStatus {
    const reportedBy = { network: this.#network, self: this.#node, placer: this.#placer, waiting: [] };
    return fleetStatusOf(this.#known(), reportedBy);
  }

  async #read(): Promise<FleetStatus> {
    this.#state ??= this.#watch();
    const state = await this.#state;
    await state.listLeases(this.#network);
    const status = await readFleetStatus(this.#network, this.#node, state);
    const nodes = status.nodes.map((node) => {
      const isOther = node.isAlive && node.name !== this.#node;
      return { ...node, clockOffset: isOther ? this.#offsetOf(node.name) : undefined };
    });
    return { ...status, nodes };
  }

  async #watch(): Promise<FleetState> {
    const state = new FleetState();
    await state.watch(this.#network);
    return state;
  }
}
