// A fleet client: a program that calls the servers of a fleet without being a node. It has no lease, runs nothing, and is not listed.

import { randomBytes } from 'node:crypto';
import type { RemoteConfig } from '../config/server-config.ts';
import type { ServiceOf } from '../host/host-options.ts';
import type { Fabric } from './fabric.ts';
import { remoteEntry } from './remote-entry.ts';
import { FleetServices } from './route/fleet-services.ts';
import { RoutingTable } from './route/routing-table.ts';
import { runOf } from './subjects.ts';

export class FleetVisitor {
  readonly #fabric: Fabric;
  readonly #routes: RoutingTable;
  readonly #services: FleetServices;

  private constructor(fabric: Fabric, openWaitMs: number | undefined) {
    const name = `visitor-${randomBytes(6).toString('hex')}`;
    const run = runOf({ pid: process.pid, startedAt: new Date().toISOString() });
    this.#fabric = fabric;
    this.#routes = new RoutingTable(fabric, name);
    this.#services = new FleetServices(fabric, this.#routes, name, { run, openWaitMs });
    fabric.onConnection = (isConnected) => {
      if (isConnected) this.#services.reconnected();
      else this.#services.disconnected();
    };
  }

  /** `openWaitMs`: how long a service waits for a server that no node runs. */
  static async open(fabric: Fabric, openWaitMs?: number): Promise<FleetVisitor> {
    const visitor = new FleetVisitor(fabric, openWaitMs);
    await visitor.#routes.start();
    return visitor;
  }

  /** The current servers of the fleet, and those of its nodes as `<name>@<node>`. */
  get servers(): RemoteConfig[] {
    const { fleet } = this.#fabric;
    return this.#routes.servers().map((name) => remoteEntry(fleet, name, this.#routes.recordOf(name)));
  }

  readonly serviceOf: ServiceOf = ({ name, share, maxFrameBytes, maxFrameValues }, { observer, client }) =>
    this.#services.open(name, { share: share.by, maxFrameBytes, maxFrameValues, observer, client });

  readonly whyAway = (server: string): string | undefined => this.#services.whyAway(server);

  async close(): Promise<void> {
    this.#fabric.onConnection = undefined;
    await this.#services.close();
    this.#routes.stop();
  }
}
