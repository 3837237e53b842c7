// The servers of the fleet as services of this node, and their shared state.

import type { SharePolicy } from '../../../config/server-config.ts';
import type { ClientOptions } from '../../../mcp/client/options.ts';
import type { ClusterNetwork } from '../cluster-network.ts';
import type { CallCounts } from './call-counts.ts';
import { type CallsOptions, FleetCalls } from './calls.ts';
import { FleetService } from './fleet-service.ts';
import { type ClockOffset, NodeClocks } from './node-clocks.ts';
import type { FleetObserver } from './observed-messages.ts';
import type { RoutingTable } from './routing-table.ts';
import { ServerRequests } from './server-requests.ts';
import { isReachable } from './until-reachable.ts';

export interface FleetServiceOptions {
  /** The share policy of the entry. It decides which clients stay together if there are several replicas. */
  share?: SharePolicy['by'] | undefined;
  /** Maximum length of a received message. */
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
    this.#calls.onHops = (call, { node, generation, pid, receivedMs, answeredMs }) => {
      if (!(call.owner instanceof ServerRequests)) return;
      const offset = node === self ? { ms: 0, uncertaintyMs: 0 } : this.#clocks.offsetOf(node);
      const measured = offset && { offsetMs: offset.ms, uncertaintyMs: offset.uncertaintyMs };
      call.owner.observed.hop({
        id: call.id,
        node,
        generation,
        pid: pid ?? undefined,
        receivedMs,
        answeredMs,
        ...measured,
      });
    };
  }

  /** Number of requests without an answer. */
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

  /** Must be called when the connection to NATS is lost. */
  disconnected(): void {
    this.#calls.disconnected();
  }

  /** Must be called when the connection to NATS is restored: messages may have been lost with the previous one. */
  reconnected(): void {
    this.#calls.reconnected();
    for (const service of this.#open) service.reconnected();
  }

  /** Returns a service that is not started yet. */
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
