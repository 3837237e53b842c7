// A fleet client: a program that calls the servers of a fleet without being a node. It has no lease, runs nothing, and is not listed.

import { randomBytes } from 'node:crypto';
import type { RemoteConfig } from '../../config/server-config.ts';
import type { ServiceOf } from '../hosted-server.ts';
import type { ClusterNetwork } from './cluster-network.ts';
import { FleetServices } from './route/fleet-services.ts';
import { RoutingTable, remoteEntry } from './route/routing-table.ts';
import { runOf } from './subjects.ts';

export class FleetClient {
  readonly #network: ClusterNetwork;
  readonly #routes: RoutingTable;
  readonly #services: FleetServices;

  private constructor(network: ClusterNetwork, openWaitMs: number | undefined) {
    const name = `visitor-${randomBytes(6).toString('hex')}`;
    const run = runOf({ pid: process.pid, startedAt: new Date().toISOString() });
    this.#network = network;
    this.#routes = new RoutingTable(network, name);
    this.#services = new FleetServices(network, this.#routes, name, { run, openWaitMs });
    network.onConnection = (isConnected) => {
      if (isConnected) this.#services.reconnected();
      else this.#services.disconnected();
    };
  }

  /** `openWaitMs`: how long a service waits for a server that no node runs. */
  static async open(network: ClusterNetwork, openWaitMs?: number): Promise<FleetClient> {
    const fleetClient = new FleetClient(network, openWaitMs);
    await fleetClient.#routes.start();
    return fleetClient;
  }

  /** The current servers of the fleet, and those of its nodes as `<name>@<node>`. */
  get servers(): RemoteConfig[] {
    const { fleet } = this.#network;
    return this.#routes.servers().map((name) => remoteEntry(fleet, name, this.#routes.recordOf(name)));
  }

  readonly serviceOf: ServiceOf = ({ name, share, maxFrameBytes, maxFrameValues }, { observer, client }) =>
    this.#services.open(name, { share: share.by, maxFrameBytes, maxFrameValues, observer, client });

  readonly whyAway = (server: string): string | undefined => this.#services.whyAway(server);

  async close(): Promise<void> {
    this.#network.onConnection = undefined;
    await this.#services.close();
    this.#routes.stop();
  }
}
