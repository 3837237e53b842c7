// The fleet of `up --join`, from the connection to NATS to the end of the host. Loaded on use: most hosts join none. A host whose
// NATS is away at its start serves its own servers, and joins when NATS is there. What waiting cannot mend ends it.

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
import type { SharedQuotas } from '../../../host/gateway/shared-quotas.ts';
import type { Host } from '../../../host/host.ts';
import type { ServiceOf } from '../../../host/host-options.ts';
import type { JoinPlan } from './join-options.ts';

export interface JoinContext {
  /** Of the gateway. */
  url: string | undefined;
  note: (text: string) => void;
  /** Called before servers are started, for their secrets. */
  learn: (servers: readonly ServerConfig[]) => void;
  /** The host has begun, and cannot join: waiting would not mend it. */
  failed: (error: unknown) => void;
}

/** Between two attempts to join. A random part is added, so that a thousand nodes do not come at once. */
const RETRY_MS = { first: 250, most: 5_000 };
/** A host that has reached NATS and gets no lease begins after this time. */
const PATIENCE_MS = 15_000;

export class UpFleet {
  readonly #plan: JoinPlan;
  readonly #startedAt = new Date().toISOString();
  readonly #ending = new AbortController();
  #network: ClusterNetwork | undefined;
  /** It joins, or has joined: changes of the config are its own from then on. */
  #begun: FleetNode | undefined;
  /** It has joined. */
  #node: FleetNode | undefined;
  #quotas: FleetQuotas | undefined;
  /** It has joined, or serves its own servers until it joins. */
  #hasBegun = false;
  /** Never rejects. */
  #joining: Promise<void> | undefined;
  /** Why the last attempt to join failed. */
  #why: PeerError | undefined;

  constructor(plan: JoinPlan) {
    this.#plan = plan;
  }

  /** For people, where the host has no config. */
  get title(): string {
    return `fleet ${this.fleet}, node ${this.name}`;
  }

  get fleet(): string {
    return this.#plan.network.fleet;
  }

  /** Of the node. */
  get name(): string {
    return this.#plan.node;
  }

  /** Undefined: it has not joined yet. */
  get node(): FleetNode | undefined {
    return this.#node;
  }

  readonly serviceOf: ServiceOf = (config, wire) => this.#begun?.serviceOf(config, wire);

  readonly whyAway = (server: string): string | undefined => this.#begun?.whyAway(server);

  /** For the gateway of this node. Until it has joined, it knows no other gateway, and has the whole quota. */
  readonly sharedQuotas: SharedQuotas = (principal, quotas, counts) =>
    this.#node && this.#quotas?.shared(principal, quotas, counts);

  readonly control: FleetControl = {
    whyNotJoined: () => (this.#node ? undefined : notJoined(this.#why)),
    status: async () => this.#node?.status() ?? this.#statusAlone(),
    address: () => addressOf(this.#plan.network),
    forward: (node, method, params) => this.#joined().control(node, method, params),
  };

  /** One attempt. Rejects if waiting cannot mend it. */
  async connect(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      this.#why = error;
    }
  }

  /** Resolves when the host has joined, and when it begins without its fleet, which it joins later. */
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

  /** Undefined: the host has its own servers alone. */
  reload(config: Config): Promise<ConfigDiff> | undefined {
    return this.#begun?.ownConfig(config);
  }

  /** Hands over what runs here. */
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

  /** Why the gateway is not ready for requests, besides the states of its servers. Without NATS it serves its own servers. */
  whyNotReady({ config }: Host): string | undefined {
    const hasOwn = config?.servers.some((server) => !server.unlisted && !isOfFleet(server));
    if (this.#hasBegun && hasOwn) return undefined;
    if (!this.#network?.isConnected) return 'there is no connection to NATS';
    return this.#node ? undefined : 'the host joins its fleet';
  }

  /** Why servers of the fleet are not known yet. `all`: for the lists of all servers, which begin with those of this node. */
  whyNotYet(all: boolean): string | undefined {
    if (this.#node || (all && this.#hasBegun)) return undefined;
    return 'The gateway has not joined its fleet yet, so that it does not know the servers of other nodes. Try again soon.';
  }

  /** Also resolves when the host ends before. */
  async #joinWhenThere(host: Host, context: JoinContext, onAway: () => void): Promise<void> {
    const { signal } = this.#ending;
    let failure = this.#why; // of `connect`
    let told = '';
    for (let waitMs = RETRY_MS.first; ; waitMs = Math.min(2 * waitMs, RETRY_MS.most)) {
      failure ??= await this.#attempt(host, context);
      if (!failure) return;
      const { message, hint } = failure;
      const why = `${message}. This node has not joined the fleet ${this.fleet} yet, and serves its own servers. It joins as soon as NATS can be reached. ${hint}`;
      if (message !== told) context.note(why);
      told = message;
      this.#why = failure;
      failure = undefined;
      onAway();
      await pause(systemClock, waitMs * (1 + Math.random()), signal).catch(() => undefined);
      if (signal.aborted) return;
    }
  }

  /** Undefined: it has joined, or the host ends. Otherwise: why NATS cannot be reached. */
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
    if (this.#ending.signal.aborted) return network.close(); // the host has not waited for it
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
    note(`--lease has no effect: the leases of the fleet ${this.fleet} have a lifetime of ${lifetimeMs} ms`);
  }

  /** Before it has joined. */
  #statusAlone(): FleetStatus {
    const self = { ...recordOf(this.#plan), startedAt: this.#startedAt, isAlive: false };
    return { fleet: this.fleet, self: self.name, isConnected: false, placer: undefined, nodes: [self], servers: [] };
  }

  #joined(): FleetNode {
    if (this.#node) return this.#node;
    throw new PeerError('FLEET_UNREACHABLE', notJoined(this.#why), {
      hint: this.#why?.hint ?? 'Try again in a moment.',
    });
  }
}

function notJoined(why: PeerError | undefined): string {
  return `The host has not joined its fleet yet${why ? `: ${why.message}` : ''}`;
}

/** It may be there later. */
function isUnreachable(error: unknown): error is PeerError {
  return error instanceof PeerError && error.code === 'FLEET_UNREACHABLE';
}

/** The command that uses it may run in another folder. */
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
