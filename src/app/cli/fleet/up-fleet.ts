// The fleet of `up --join`, from the connection to NATS to the end of the host. Loaded only with --join. If NATS is unreachable at
// the start, the host serves its own servers and joins later. An error that a retry cannot fix ends the host.

import { resolve } from 'node:path';
import { systemClock } from '../../../base/clock.ts';
import { PeerError } from '../../../base/errors.ts';
import { pause, unlessAborted } from '../../../base/wait.ts';
import type { ConfigDiff } from '../../../config/files/diff-configs.ts';
import type { Config } from '../../../config/files/load-config.ts';
import { isOfFleet, type ServerConfig } from '../../../config/server-config.ts';
import type { FleetControl } from '../../../host/control/control-methods.ts';
import type { ClusterNetwork } from '../../../host/fleet/cluster-network.ts';
import type { FleetNode } from '../../../host/fleet/fleet-node.ts';
import type { FleetAddress, FleetStatus } from '../../../host/fleet/fleet-status.ts';
import type { ClusterNetworkOptions } from '../../../host/fleet/nats/open-network.ts';
import { recordOf } from '../../../host/fleet/node/node-entry.ts';
import type { FleetQuotas } from '../../../host/fleet/quotas/fleet-quotas.ts';
import type { SharedQuotas } from '../../../host/gateway/limits.ts';
import type { Host } from '../../../host/host.ts';
import type { HostOptions, ServiceOf } from '../../../host/hosted-server.ts';
import type { JoinPlan } from './fleet-options.ts';

export interface JoinContext {
  url: string | undefined;
  note: (text: string) => void;
  /** Called with servers before they start, so that their secrets can be hidden. */
  learn: (servers: readonly ServerConfig[]) => void;
  /** Called if the host is serving and a retry cannot make it join. */
  failed: (error: unknown) => void;
}

/** Delay between two attempts to join. A random part is added, so that many nodes do not retry at once. */
const RETRY_MS = { first: 250, most: 5_000 };
/** A host that is connected to NATS but gets no lease serves its own servers after this time. */
const PATIENCE_MS = 15_000;

export class UpFleet {
  readonly #plan: JoinPlan;
  readonly #startedAt = new Date().toISOString();
  readonly #ending = new AbortController();
  #network: ClusterNetwork | undefined;
  /** Set when joining begins: from then on the node applies config changes. */
  #begun: FleetNode | undefined;
  /** Set when the host has joined. */
  #node: FleetNode | undefined;
  #quotas: FleetQuotas | undefined;
  /** True if the host has joined, or serves its own servers until it joins. */
  #hasBegun = false;
  /** Never rejects. */
  #joining: Promise<void> | undefined;
  /** Why the last attempt to join failed. */
  #why: PeerError | undefined;

  constructor(plan: JoinPlan) {
    this.#plan = plan;
  }

  /** The title of a host without a config, in place of a config file. */
  get title(): string {
    return `fleet ${this.fleet}, node ${this.name}`;
  }

  get fleet(): string {
    return this.#plan.network.fleet;
  }

  get name(): string {
    return this.#plan.node;
  }

  get node(): FleetNode | undefined {
    return this.#node;
  }

  readonly serviceOf: ServiceOf = (config, wire) => this.#begun?.serviceOf(config, wire);

  readonly whyAway = (server: string): string | undefined => this.#begun?.whyAway(server);

  readonly recordsOf: HostOptions['recordsOf'] = (config) => this.#begun?.recordsOf?.(config);

  /** Quotas for the gateway of this node. Until the host has joined, the gateway has the whole quota. */
  readonly sharedQuotas: SharedQuotas = (principal, quotas, counts) =>
    this.#node && this.#quotas?.shared(principal, quotas, counts);

  readonly control: FleetControl = {
    whyNotJoined: () => (this.#node ? undefined : notJoined(this.#why)),
    status: async () => this.#node?.status() ?? this.#statusAlone(),
    address: () => addressOf(this.#plan.network),
    forward: (node, method, params) => this.#joined().control(node, method, params),
  };

  /** Makes one attempt. Rejects with an error that a retry cannot fix. */
  async connect(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      this.#why = error;
    }
  }

  /** Resolves when the host has joined, or when it starts to serve its own servers and will join later. */
  join(host: Host, context: JoinContext): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        this.#hasBegun = true;
        resolve();
      };
      const patience = systemClock.after(PATIENCE_MS, begin);
      this.#joining = this.#joinWhenThere(host, context, begin)
        .then(begin, (error: unknown) => (this.#hasBegun ? context.failed(error) : reject(error)))
        .finally(() => patience.cancel());
    });
  }

  /** Returns undefined if the host has only its own servers. */
  reload(config: Config): Promise<ConfigDiff> | undefined {
    return this.#begun?.ownConfig(config);
  }

  /** Moves the replicas of this node to other nodes. */
  async retire(): Promise<void> {
    this.#ending.abort(new Error('The host ends'));
    await this.#joining;
    await this.#node?.drain();
  }

  async leave(): Promise<void> {
    this.#ending.abort(new Error('The host ends'));
    await this.#joining;
    await this.#node?.leave();
    await this.#close();
  }

  /** Why the gateway is not ready, apart from the states of its servers. Without NATS it serves its own servers. */
  whyNotReady({ config }: Host): string | undefined {
    const hasOwn = config?.servers.some((server) => !server.unlisted && !isOfFleet(server));
    if (this.#hasBegun && hasOwn) return undefined;
    if (!this.#network?.isConnected) return 'not connected to NATS';
    return this.#node ? undefined : 'the host is joining its fleet';
  }

  /**
   * Why the servers of the fleet are still unknown. `all`: the request is for all servers; until the fleet is known, the answer may have
   * only the servers of this node.
   */
  whyNotYet(all: boolean): string | undefined {
    if (this.#node || (all && this.#hasBegun)) return undefined;
    return 'The gateway has not joined its fleet yet and does not know the servers of other nodes. Retry in a few seconds.';
  }

  /** Waits until NATS can be reached, and joins. Also resolves if the host ends earlier. */
  async #joinWhenThere(host: Host, context: JoinContext, onAway: () => void): Promise<void> {
    const { signal } = this.#ending;
    let failure = this.#why; // the reason why `connect` failed
    let told = '';
    for (let waitMs = RETRY_MS.first; ; waitMs = Math.min(2 * waitMs, RETRY_MS.most)) {
      failure ??= await this.#attempt(host, context);
      if (!failure) return;
      const { message, hint } = failure;
      const why = `${message}. This node has not joined the fleet ${this.fleet} yet and serves only its own servers. It joins as soon as NATS can be reached. ${hint}`;
      if (message !== told) context.note(why);
      told = message;
      this.#why = failure;
      failure = undefined;
      onAway();
      await pause(systemClock, waitMs * (1 + Math.random()), signal).catch(() => undefined);
      if (signal.aborted) return;
    }
  }

  /** Resolves to the reason why NATS cannot be reached, or to undefined if the host has joined or ends. */
  async #attempt(host: Host, { failed: _failed, ...context }: JoinContext): Promise<PeerError | undefined> {
    const { signal } = this.#ending;
    try {
      if (!this.#network) await unlessAborted(this.#open(), signal);
      const { FleetNode } = await import('../../../host/fleet/fleet-node.ts');
      const { node, labels, offers, drainMs } = this.#plan;
      this.#tellLifetime(context.note);
      const options = {
        network: this.#network!,
        node,
        labels,
        offers,
        drainMs,
        quotas: context.url === undefined ? undefined : this.#quotas,
        signal,
        onBegin: (begun: FleetNode) => {
          this.#begun = begun;
        },
        ...context,
      };
      signal.throwIfAborted();
      this.#node = await FleetNode.join(host, options);
      return undefined;
    } catch (error) {
      this.#begun = undefined;
      await this.#close();
      if (signal.aborted) return undefined;
      if (isUnreachable(error)) return error;
      throw error;
    }
  }

  async #open(): Promise<void> {
    const { openNetwork } = await import('../../../host/fleet/nats/open-network.ts');
    const { FleetQuotas } = await import('../../../host/fleet/quotas/fleet-quotas.ts');
    const network = await openNetwork(this.#plan.network);
    if (this.#ending.signal.aborted) return network.close(); // the host ended before the connection was made
    this.#network = network;
    this.#quotas = new FleetQuotas(network, this.#plan.node, systemClock);
  }

  async #close(): Promise<void> {
    this.#quotas?.stop();
    await this.#network?.close();
    this.#network = undefined;
  }

  #tellLifetime(note: JoinContext['note']): void {
    const wantedMs = this.#plan.network.lifetimeMs;
    const { lifetimeMs } = this.#network!.leases;
    if (wantedMs === undefined || wantedMs === lifetimeMs) return;
    note(`--lease has no effect: the first node of the fleet ${this.fleet} set it to ${lifetimeMs} ms`);
  }

  #statusAlone(): FleetStatus {
    const self = { ...recordOf(this.#plan), startedAt: this.#startedAt, isAlive: false };
    return { fleet: this.fleet, self: self.name, isConnected: false, placer: undefined, nodes: [self], servers: [] };
  }

  #joined(): FleetNode {
    if (this.#node) return this.#node;
    throw new PeerError('FLEET_UNREACHABLE', notJoined(this.#why), {
      hint: this.#why?.hint ?? 'Retry in a few seconds.',
    });
  }
}

function notJoined(why: PeerError | undefined): string {
  return `The host has not joined its fleet yet${why ? `: ${why.message}` : ''}`;
}

/** Whether a retry may succeed. */
function isUnreachable(error: unknown): error is PeerError {
  return error instanceof PeerError && error.code === 'FLEET_UNREACHABLE';
}

/** Returns absolute paths, because the command that uses them may run in another folder. */
function addressOf({ servers, fleet, credentials, tls }: ClusterNetworkOptions): FleetAddress {
  const absolute = (file: string | undefined) => (file === undefined ? undefined : resolve(file));
  const { ca, cert, key } = tls ?? {};
  return {
    servers,
    fleet,
    credentials: absolute(credentials),
    tls: tls && { ca: absolute(ca), cert: absolute(cert), key: absolute(key) },
  };
}
