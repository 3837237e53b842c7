// One node of a fleet: a host that has joined it. It keeps its lease, runs the servers that the fleet places on it, offers its own
// servers, and reaches those of other nodes. Without NATS its own servers continue; when NATS is back, it starts a new session by
// itself.

import { type Clock, systemClock } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import { SILENT, unlessAborted, within } from '../../base/wait.ts';
import type { ConfigDiff } from '../../config/files/diff-configs.ts';
import type { Config } from '../../config/files/load-config.ts';
import type { ServerConfig } from '../../config/server-config.ts';
import type { Params } from '../../mcp/service.ts';
import { renewLease } from '../../wire/process/server-process.ts';
import { answerControl, type ControlMethod, type ControlResults } from '../control/control-methods.ts';
import type { Host } from '../host.ts';
import type { ServiceOf } from '../host-options.ts';
import type { ClusterNetwork } from './cluster-network.ts';
import type { FleetStatus } from './fleet-status.ts';
import { answerNodeRequests } from './node/answer-node-requests.ts';
import { Claims } from './node/claims/claims.ts';
import { controlNode } from './node/control-node.ts';
import { configOfHost, HostTable } from './node/host-table.ts';
import { NodeEndpoint } from './node/node-endpoint.ts';
import { NodeEntry, recordOf } from './node/node-entry.ts';
import { nodeHandlers } from './node/node-handlers.ts';
import { NodeLease } from './node/node-lease.ts';
import type { FleetFigures, JoinOptions } from './node/node-options.ts';
import { OwnServers } from './node/own-servers.ts';
import { RunInstances } from './node/run-instances.ts';
import { Placer } from './place/placer.ts';
import { MOST_OFFERS } from './place/usable-records.ts';
import type { FleetQuotas } from './quotas/fleet-quotas.ts';
import { FleetServices } from './route/fleet-services.ts';
import { RoutingTable } from './route/routing-table.ts';
import { runOf } from './subjects.ts';
import { WatchedStatus } from './watched-status.ts';

export type { FleetFigures, JoinOptions };

const DEFAULT_DRAIN_MS = 10_000;
/** Without NATS, each of the last steps of leaving is given up after this time. */
const LEAVE_MS = 5_000;
const NOT_WRITTEN = 'The entry of the node could not be written';

export class FleetNode {
  readonly name: string;
  readonly #network: ClusterNetwork;
  readonly #host: Host;
  readonly #clock: Clock;
  readonly #offers: boolean;
  readonly #note: (text: string) => void;
  readonly #lease: NodeLease;
  readonly #routes: RoutingTable;
  readonly #endpoint: NodeEndpoint;
  readonly #services: FleetServices;
  readonly #table: HostTable;
  readonly #own: OwnServers;
  readonly #claims: Claims;
  readonly #entry: NodeEntry;
  readonly #placer: Placer;
  readonly #status: WatchedStatus;
  readonly #quotas: FleetQuotas | undefined;
  /** Steps to undo joining, run in reverse order. */
  readonly #exits: (() => unknown)[] = [];
  /** True once the node answers requests, so that its entry may be in the directory. */
  #isReady = false;
  #draining: Promise<void> | undefined;
  #leaving: Promise<void> | undefined;

  /** Resolves when the node is part of the fleet. Rejects with NODE_NAME_TAKEN if another node has its name. */
  static async join(host: Host, options: JoinOptions): Promise<FleetNode> {
    const node = new FleetNode(host, options);
    options.onBegin?.(node);
    try {
      await node.#join(options.signal);
    } catch (error) {
      await node.leave();
      throw error;
    }
    return node;
  }

  private constructor(host: Host, options: JoinOptions) {
    const { network, node, clock = systemClock, drainMs = DEFAULT_DRAIN_MS } = options;
    this.name = node;
    this.#network = network;
    this.#host = host;
    this.#clock = clock;
    this.#offers = options.offers ?? true;
    this.#note = options.note ?? (() => undefined);
    this.#lease = new NodeLease(network, `node.${node}`, node, { clock });
    this.#routes = new RoutingTable(network, node);
    this.#routes.onTooManyOffers = (name) =>
      this.#note(`Node "${name}" offers more than ${MOST_OFFERS} servers. The others are not used`);
    this.#routes.onUnusable = (table, key) =>
      this.#note(
        `The entry of the ${table} "${key}" in the directory cannot be used. What was there before stays in force`,
      );
    this.#endpoint = new NodeEndpoint(network, node, { clock });
    const record = recordOf(options);
    this.#services = new FleetServices(network, this.#routes, node, {
      run: runOf(record),
      endpoint: this.#endpoint,
      clock,
    });
    const offsetOf = (name: string) => this.#services.clockOffset(name);
    this.#status = new WatchedStatus(network, node, { offsetOf, known: () => this.#routes.view(), clock });
    const others = {
      fleet: network.fleet,
      names: () => (this.#leaving ? [] : this.#routes.servers()),
      recordOf: (name: string) => this.#routes.recordOf(name),
      onHidden: (name: string) => this.#note(`The server "${name}" of this node hides that of the fleet here`),
      onReserved: (name: string) =>
        this.#note(`The server "${name}" of this node is not run: such names are those of replicas. Rename it`),
      onServers: (servers: readonly ServerConfig[]) => options.learn?.(servers),
      onProblem: (error: Error) => this.#note(error.message),
    };
    this.#table = new HostTable(host, configOfHost(host), others, clock);
    this.#own = new OwnServers(host, this.#endpoint, { drainMs, note: this.#note });
    const mayAct = (session: string) => this.#lease.isHeld && this.#lease.session === session;
    const runner = new RunInstances(host, this.#table, this.#endpoint, {
      node,
      mayAct,
      drainMs,
      clock,
      note: this.#note,
    });
    const onProblem = (error: Error) => this.#note(error.message);
    this.#claims = new Claims(network, this.#lease, runner, node, { clock, onProblem });
    runner.onFailed = (claim, reason) => this.#claims.serverFailed(claim, reason);
    this.#exits.push(() => runner.close());
    this.#entry = new NodeEntry(network.directory.nodes, record, () => this.#lease.isHeld);
    this.#quotas = options.quotas;
    this.#placer = new Placer(network, node, { clock, rank: () => this.#routes.rank, note: this.#note });
  }

  readonly serviceOf: ServiceOf = ({ name, share, maxFrameBytes, maxFrameValues }, { observer, client }) =>
    this.#services.open(name, { share: share.by, maxFrameBytes, maxFrameValues, observer, client });

  readonly whyAway = (server: string): string | undefined => this.#services.whyAway(server);

  figures(): FleetFigures {
    return {
      isConnected: this.#network.isConnected,
      hasLease: this.#lease.isHeld,
      nodes: this.#routes.nodes,
      claims: this.#claims.held.length,
      calls: this.#services.counts,
    };
  }

  /** Applies a change of the node's own config. Resolves when every process that has to end has exited. */
  ownConfig(config: Config): Promise<ConfigDiff> {
    const applied = this.#table.changeOwn(config);
    void this.#attempt(NOT_WRITTEN, this.#offer());
    return applied;
  }

  /** Without a connection to NATS, returns the last known status. */
  status(): Promise<FleetStatus> {
    return this.#status.read();
  }

  /** Runs a control method on the host of another node. */
  async control(node: string, method: ControlMethod, params: object): Promise<ControlResults[ControlMethod]> {
    if (node === this.name) return answerControl(this.#host, method, params as Params);
    return controlNode(this.#network, node, method, params);
  }

  /** Takes no more servers, and hands over the running ones. Resolves when their processes have exited. */
  drain(): Promise<void> {
    this.#draining ??= this.#drain();
    return this.#draining;
  }

  /** Ends everything that runs here for the fleet, gives all slots back, and answers no more calls. */
  leave(): Promise<void> {
    this.#leaving ??= this.#leave();
    return this.#leaving;
  }

  async #join(signal: AbortSignal | undefined): Promise<void> {
    this.#network.onConnection = (isConnected, text) => this.#connected(isConnected, text);
    this.#lease.onLost = (reason) => this.#lost(reason);
    this.#lease.onTaken = () =>
      this.#note(`Another host runs as node ${this.name} now: stop it, or give one a new name`);
    this.#lease.onRenewed = renewLease;
    this.#exits.push(() => this.#lease.release());
    const acquired = this.#lease.acquire();
    await (signal ? unlessAborted(acquired, signal) : acquired);
    this.#exits.push(() => this.#entry.remove());
    this.#routes.onServers = () => this.#table.fleetChanged();
    this.#routes.onInstances = (server) => this.#host.reachable(server);
    this.#routes.onSelf = (record) => (record ? this.#entry.seen(record) : this.#forgotten());
    this.#routes.onClaim = (key, claim) => this.#claims.changed(key, claim);
    this.#routes.onRunEnded = (node, run) => this.#endpoint.callerEnded(node, run);
    this.#exits.push(() => {
      this.#routes.stop();
      this.#status.stop();
    });
    await this.#routes.start();
    this.#exits.push(() => this.#table.close());
    const requests = answerNodeRequests(
      this.#network,
      this.name,
      nodeHandlers({
        host: this.#host,
        lease: this.#lease,
        claims: this.#claims,
        endpoint: this.#endpoint,
        placer: this.#placer,
        quotas: this.#quotas,
        run: runOf(this.#entry.record),
      }),
      () => !this.#lease.isTaken,
    );
    this.#exits.push(
      () => requests.end(),
      () => this.#services.close(),
      () => this.#endpoint.close(),
    );
    await this.#table.apply();
    this.#lease.onHeld = (session) => void this.#held(session);
    await this.#quotas?.start();
    this.#isReady = true;
    await this.#offer();
    this.#placer.start();
    await this.#attempt('The fleet cannot be read', this.status());
    this.#note(`Joined the fleet ${this.#network.fleet} as node ${this.name}`);
  }

  /** Publishes the node's own servers, with the session of the lease. */
  async #offer(): Promise<void> {
    const { session } = this.#lease;
    if (session === undefined || !this.#isReady) return; // repeated with the next lease, or when ready
    const enabled = this.#table.own.servers.filter((server) => server.enabled);
    const offers = this.#offers && !this.#draining ? enabled.map((server) => server.name) : [];
    const offered = this.#own.offer(offers, session);
    await this.#entry.change({ session, offers: offered });
  }

  #connected(isConnected: boolean, text: string): void {
    if (!isConnected) {
      this.#services.disconnected();
      this.#note(`${text}. The servers of this node go on; those of the fleet stop if it is not back soon`);
      return;
    }
    this.#note(text);
    this.#services.reconnected();
    void this.#attempt(NOT_WRITTEN, this.#offer()); // repeats a write that failed meanwhile
  }

  /** Called when the node's entry was removed: by a program that took the node for dead, or together with its table. */
  #forgotten(): void {
    if (!this.#leaving) void this.#attempt(NOT_WRITTEN, this.#offer());
  }

  async #lost(reason: string): Promise<void> {
    this.#note(`The lease of this node is lost: ${reason}. What it runs for the fleet stops`);
    await this.#claims.leaseLost(reason);
  }

  /** Called with a new lease after one was lost. */
  async #held(session: string): Promise<void> {
    this.#note('The node has a lease again');
    const claimed = this.#claims.leaseHeld();
    await this.#attempt(NOT_WRITTEN, this.#offer());
    await claimed;
    if (this.#lease.session === session) this.#table.fleetChanged();
  }

  async #drain(): Promise<void> {
    await this.#attempt('The fleet does not know that the node is drained', this.#entry.change({ draining: true }));
    await this.#attempt('The node may still be the one that places', this.#placer.stop());
    await this.#claims.releaseAll('the node leaves');
  }

  async #leave(): Promise<void> {
    this.#lease.onHeld = undefined;
    await this.drain();
    await this.#attempt('The fleet does not know that the node leaves', this.#offer());
    await this.#own.drain();
    await this.#table.apply(); // without the servers of other nodes
    for (const exit of this.#exits.reverse()) {
      await this.#attempt('A part of the node did not end', Promise.resolve(exit()));
    }
    this.#network.onConnection = undefined;
  }

  /** Limits the wait: a lost connection must not block the node. */
  async #attempt(what: string, work: Promise<unknown>): Promise<void> {
    const problem = work.then(
      () => undefined,
      (error: unknown) => toError(error).message,
    );
    const outcome = await within(this.#clock, LEAVE_MS, problem);
    if (outcome !== undefined) this.#note(`${what}: ${outcome === SILENT ? 'NATS does not answer' : outcome}`);
  }
}
