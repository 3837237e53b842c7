// The fleet of `up --join`, from the connection to NATS to the end of the host. Loaded on use: most hosts join none.

import { resolve } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { UsageError } from '../../base/errors.ts';
import type { ConfigDiff } from '../../config/files/diff-configs.ts';
import type { Config } from '../../config/files/load-config.ts';
import { isOfFleet, type ServerConfig } from '../../config/server-config.ts';
import type { SharedQuotas } from '../../doors/shared-quotas.ts';
import type { Fabric } from '../../fleet/fabric.ts';
import type { FleetNode } from '../../fleet/fleet-node.ts';
import type { FleetAddress } from '../../fleet/fleet-status.ts';
import type { FabricOptions } from '../../fleet/nats/open-fabric.ts';
import type { FleetQuotas } from '../../fleet/quotas/fleet-quotas.ts';
import type { FleetControl } from '../../host/control/control-methods.ts';
import type { Host } from '../../host/host.ts';
import type { ChannelTo } from '../../host/host-options.ts';
import type { JoinPlan } from './join-options.ts';

export interface JoinContext {
  /** Of the gateway. */
  url: string | undefined;
  note: (text: string) => void;
  /** Called before servers are started, for their secrets. */
  learn: (servers: readonly ServerConfig[]) => void;
  /** Ends the host. */
  signal: AbortSignal;
}

export class UpFleet {
  readonly #plan: JoinPlan;
  #fabric: Fabric | undefined;
  #node: FleetNode | undefined;
  #quotas: FleetQuotas | undefined;

  constructor(plan: JoinPlan) {
    this.#plan = plan;
  }

  /** For people, where the host has no config. */
  get title(): string {
    const { fabric, node } = this.#plan;
    return `fleet ${fabric.fleet}, node ${node}`;
  }

  get node(): FleetNode | undefined {
    return this.#node;
  }

  readonly channelTo: ChannelTo = (config, wire) => this.#node?.channelTo(config, wire);

  readonly whyAway = (server: string): string | undefined => this.#node?.whyAway(server);

  /** For the gateway of this node, from before it joins. */
  get sharedQuotas(): SharedQuotas {
    return this.#quotas!.shared;
  }

  readonly control: FleetControl = {
    status: () => this.#joined().status(),
    address: () => addressOf(this.#plan.fabric),
    forward: (node, method, params) => this.#joined().control(node, method, params),
  };

  async connect(): Promise<void> {
    const { openFabric } = await import('../../fleet/nats/open-fabric.ts');
    this.#fabric = await openFabric(this.#plan.fabric);
    const { FleetQuotas } = await import('../../fleet/quotas/fleet-quotas.ts');
    this.#quotas = new FleetQuotas(this.#fabric, this.#plan.node, systemClock);
  }

  /** Also resolves when the host ends before it has joined. */
  async join(host: Host, context: JoinContext): Promise<void> {
    const { FleetNode } = await import('../../fleet/fleet-node.ts');
    const { node, labels, offers, drainMs, fabric } = this.#plan;
    const { lifetimeMs } = this.#fabric!.leases;
    if (fabric.lifetimeMs !== undefined && fabric.lifetimeMs !== lifetimeMs) {
      context.note(
        `--lease has no effect: the leases of the fleet ${fabric.fleet} have a lifetime of ${lifetimeMs} ms`,
      );
    }
    const options = { fabric: this.#fabric!, node, labels, offers, drainMs, quotas: this.#quotas, ...context };
    this.#node = await FleetNode.join(host, options).catch((error: unknown) => {
      if (context.signal.aborted) return undefined;
      throw error;
    });
  }

  reload(config: Config): Promise<ConfigDiff> {
    return this.#joined().ownConfig(config);
  }

  /** Hands over what runs here. */
  async retire(): Promise<void> {
    await this.#node?.drain();
  }

  async leave(): Promise<void> {
    await this.#node?.leave();
    this.#quotas?.stop();
    await this.#fabric?.close();
  }

  /** Why the gateway is not ready for requests, besides the states of its servers. */
  whyNotReady({ config }: Host): string | undefined {
    if (!this.#node) return 'the host joins its fleet';
    const hasOwn = config?.servers.some((server) => !server.unlisted && !isOfFleet(server));
    return this.#fabric!.isConnected || hasOwn ? undefined : 'the connection to NATS is lost';
  }

  #joined(): FleetNode {
    if (this.#node) return this.#node;
    throw new UsageError('NOT_STARTED', 'The host has not joined its fleet yet', { hint: 'Try again in a moment.' });
  }
}

/** The command that uses it may run in another folder. */
function addressOf({ servers, fleet, credentials, tls }: FabricOptions): FleetAddress {
  const absolute = (file: string | undefined) => (file === undefined ? undefined : resolve(file));
  const { ca, cert, key } = tls ?? {};
  return {
    servers,
    fleet,
    credentials: absolute(credentials),
    tls: tls && { ca: absolute(ca), cert: absolute(cert), key: absolute(key) },
  };
}
