// The servers of the fleet as services of this node, and their shared state.

import { type Clock, systemClock } from '../../../base/clock.ts';
import type { SharePolicy } from '../../../config/server-config.ts';
import type { ClientOptions } from '../../../mcp/client/options.ts';
import { wallMs } from '../call-protocol.ts';
import type { ClusterNetwork } from '../cluster-network.ts';
import { askNode } from '../node/answer-node-requests.ts';
import type { CallCounts } from './call.ts';
import { type CallsOptions, FleetCalls } from './calls.ts';
import { FleetService } from './fleet-service.ts';
import type { FleetObserver } from './observed-messages.ts';
import type { RoutingTable } from './routing-table.ts';
import { ServerRequests } from './server-requests.ts';
import { isReachable } from './waiting-calls.ts';

export interface FleetServiceOptions {
  /** The share policy of the entry. It decides which clients stay together if there are several replicas. */
  share?: SharePolicy['by'] | undefined;
  maxFrameBytes: number;
  maxFrameValues?: number | undefined;
  observer?: FleetObserver | undefined;
  /** Limits of requests, and the handlers of the host for questions. */
  client?: ClientOptions | undefined;
}

export class FleetServices {
  readonly #calls: FleetCalls;
  readonly #clocks: NodeClocks;
  readonly #open = new Set<FleetService>();

  constructor(network: ClusterNetwork, table: RoutingTable, self: string, options: CallsOptions) {
    this.#clocks = new NodeClocks(network, options.clock);
    this.#calls = new FleetCalls(network, table, self, options);
    this.#calls.onHops = ({ owner, id }, { node, generation, pid, receivedMs, answeredMs }) => {
      if (!(owner instanceof ServerRequests)) return;
      const offset = node === self ? { ms: 0, uncertaintyMs: 0 } : this.#clocks.offsetOf(node);
      const measured = offset && { offsetMs: offset.ms, uncertaintyMs: offset.uncertaintyMs };
      const hop = { id, node, generation, pid: pid ?? undefined, receivedMs, answeredMs, ...measured };
      owner.observed.tell((observer) => observer.hop?.(hop));
    };
  }

  get inFlight(): number {
    return this.#calls.size;
  }

  get counts(): CallCounts {
    return this.#calls.counts;
  }

  /** Offset of the wall clock of a node, positive if it is ahead of this one. Undefined if not measured yet. */
  clockOffset(node: string): ClockOffset | undefined {
    return this.#clocks.offsetOf(node);
  }

  /** Why no instance of a server can be reached at the moment. Undefined if one can. */
  whyAway(server: string): string | undefined {
    return isReachable(this.#calls, server) ? undefined : this.#calls.table.whyNone(server);
  }

  disconnected(): void {
    this.#calls.disconnected();
  }

  reconnected(): void {
    this.#calls.reconnected();
    for (const service of this.#open) service.reconnected();
  }

  open(server: string, options: FleetServiceOptions): FleetService {
    const service = new FleetService(this.#calls, server, options, () => this.#open.delete(service));
    this.#open.add(service);
    return service;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((service) => service.close()));
    await this.#calls.end();
  }
}

interface ClockOffset {
  ms: number;
  uncertaintyMs: number;
}

const ROUND_TRIPS = 5;
const TIMEOUT_MS = 2_000;
const VALID_MS = 60_000;
const MOST_NODES = 10_000;

/**
 * Measures the offset of the wall clocks of other nodes by five round trips. The shortest is the most accurate: its offset may be wrong by
 * half its duration. Measured again after 60 s, because clocks drift.
 */
class NodeClocks {
  readonly #network: ClusterNetwork;
  readonly #clock: Clock;
  readonly #measured = new Map<string, { offset: ClockOffset | undefined; atMs: number }>();

  constructor(network: ClusterNetwork, clock: Clock = systemClock) {
    this.#network = network;
    this.#clock = clock;
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
    const beganWallMs = wallMs();
    const answer = await askNode(this.#network, node, 'standpipe/ping', {}, TIMEOUT_MS).catch(() => undefined);
    if (typeof answer?.nowMs !== 'number') return undefined;
    const halfMs = (this.#clock.nowMs() - beganMs) / 2;
    return { ms: answer.nowMs - (beganWallMs + halfMs), uncertaintyMs: halfMs };
  }
}
