// One node of a fleet: a host that has joined it. It keeps its lease, runs the servers that the fleet places on it, offers its own
// servers, and reaches those of other nodes. Without NATS its own servers continue; when NATS can be reached again, it starts a new
// session by itself.

import { type Clock, systemClock } from '../../base/clock.ts';
import { RpcCode, RpcError, toError } from '../../base/errors.ts';
import { SILENT, unlessAborted, within } from '../../base/wait.ts';
import type { ConfigDiff } from '../../config/files/diff-configs.ts';
import type { Config } from '../../config/files/load-config.ts';
import { isOfFleet, type ServerConfig } from '../../config/server-config.ts';
import { invalidParams, methodNotFound } from '../../mcp/protocol-errors.ts';
import type { Params } from '../../mcp/service.ts';
import { renewLease } from '../../wire/process/server-process.ts';
import { answerControl, type ControlMethod, type ControlResults, isControlMethod } from '../control/control-methods.ts';
import type { Host } from '../host.ts';
import type { HostOptions, ServiceOf } from '../hosted-server.ts';
import { wallMs } from './call-protocol.ts';
import type { ClusterNetwork } from './cluster-network.ts';
import { FleetRecords } from './fleet-records.ts';
import type { FleetStatus } from './fleet-status.ts';
import { answerNodeRequests, controlNode, type NodeHandlers } from './node/answer-node-requests.ts';
import { Claims } from './node/claims/claims.ts';
import { HostTable } from './node/host-table.ts';
import { NodeEndpoint } from './node/node-endpoint.ts';
import { NodeEntry, recordOf } from './node/node-entry.ts';
import { NodeLease } from './node/node-lease.ts';
import { OwnServers } from './node/own-servers.ts';
import { RunInstances, serverOf } from './node/run-instances.ts';
import { MOST_OFFERS } from './place/fleet-state.ts';
import { Placer } from './place/placer.ts';
import type { FleetQuotas } from './quotas/fleet-quotas.ts';
import { fleetStatusOf, readFleetStatus } from './read-status.ts';
import type { CallCounts } from './route/call.ts';
import { FleetServices } from './route/fleet-services.ts';
import { RoutingTable } from './route/routing-table.ts';
import { runOf } from './subjects.ts';

export interface JoinOptions {
  network: ClusterNetwork;
  node: string;
  labels?: readonly string[] | undefined;
  /** Whether other nodes may use the servers of its config. Default: true. */
  offers?: boolean | undefined;
  url?: string | undefined;
  quotas?: FleetQuotas | undefined;
  /** Limit for calls to end when a server is moved, and when the node leaves. Default: 10 s. */
  drainMs?: number | undefined;
  /** Called with messages for people. */
  note?: ((text: string) => void) | undefined;
  /** Called before servers are started, so that their secrets can be hidden. */
  learn?: ((servers: readonly ServerConfig[]) => void) | undefined;
  /** Called with the node before it joins. From then on, it applies changes of the config, and its services are used. */
  onBegin?: ((node: FleetNode) => void) | undefined;
  signal?: AbortSignal | undefined;
  clock?: Clock | undefined;
}

export interface FleetFigures {
  isConnected: boolean;
  hasLease: boolean;
  claims: number;
  nodes: number;
  calls: CallCounts;
}

const DEFAULT_DRAIN_MS = 10_000;
/** Time limit of each of the last steps of leaving, in case NATS cannot be reached. */
const LEAVE_MS = 5_000;
const NOT_WRITTEN = 'The entry of the node could not be written';
/** Limits of one message: slots with their reasons, and calls in one inquiry. */
const MOST_WAITING = 1_000;
const MOST_CALLS = 1_000;

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
  readonly #runner: RunInstances;
  readonly #records: FleetRecords;
  readonly #entry: NodeEntry;
  readonly #placer: Placer;
  readonly #quotas: FleetQuotas | undefined;
  #lastPlacer: string | undefined;
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
        `The entry of the ${table} "${key}" in the directory is unusable. The last usable entry stays in force`,
      );
    this.#endpoint = new NodeEndpoint(network, node, { clock });
    const record = recordOf(options);
    this.#services = new FleetServices(network, this.#routes, node, {
      run: runOf(record),
      endpoint: this.#endpoint,
      clock,
    });
    this.#table = new HostTable(host, this.#routes, network.fleet, { clock, note: this.#note, learn: options.learn });
    this.#own = new OwnServers(host, this.#endpoint, { drainMs, note: this.#note });
    const mayAct = (session: string) => this.#lease.isHeld && this.#lease.session === session;
    const runner = new RunInstances(host, this.#table, this.#endpoint, { mayAct, drainMs, clock, note: this.#note });
    const onProblem = (error: Error) => this.#note(error.message);
    this.#claims = new Claims(network, this.#lease, runner, node, { clock, onProblem });
    runner.onFailed = (claim, reason) => this.#claims.serverFailed(claim, reason);
    this.#runner = runner;
    this.#records = new FleetRecords(network, this.#routes, clock, this.#note);
    this.#exits.push(
      () => runner.close(),
      () => this.#records.close(),
    );
    this.#entry = new NodeEntry(network.directory.nodes, record, () => this.#lease.isHeld);
    this.#quotas = options.quotas;
    this.#placer = new Placer(network, node, { clock, rank: () => this.#routes.rank, note: this.#note });
  }

  readonly serviceOf: ServiceOf = ({ name, share, maxFrameBytes, maxFrameValues }, { observer, client }) =>
    this.#services.open(name, { share: share.by, maxFrameBytes, maxFrameValues, observer, client });

  readonly whyAway = (server: string): string | undefined => this.#services.whyAway(server);

  /** Servers of a node's own config are left out: that node keeps their records in a file. */
  readonly recordsOf: HostOptions['recordsOf'] = (config) => {
    const { name, unlisted } = config;
    if (unlisted) return this.#records.of(serverOf(name), () => this.#runner.claimOf(name));
    return isOfFleet(config) && this.#routes.recordOf(name) ? this.#records.of(name) : undefined;
  };

  figures(): FleetFigures {
    return {
      isConnected: this.#network.isConnected,
      hasLease: this.#lease.isHeld,
      nodes: this.#routes.state.nodes.size,
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

  /** Without a connection to NATS, resolves to the last known status. */
  async status(): Promise<FleetStatus> {
    const network = this.#network;
    const { isStarted, state } = this.#routes;
    try {
      if (network.isConnected) {
        if (isStarted) await state.listLeases(network);
        const status = await readFleetStatus(network, this.name, isStarted ? state : undefined);
        this.#lastPlacer = status.placer;
        for (const node of status.nodes) {
          if (node.isAlive && node.name !== this.name) node.clockOffset = this.#services.clockOffset(node.name);
        }
        return status;
      }
    } catch (error) {
      if (network.isConnected) throw error;
    }
    const { servers, nodes, claims } = state;
    const known = { servers, nodes, claims, leases: new Set(nodes.keys()) };
    return fleetStatusOf(known, { network, self: this.name, placer: this.#lastPlacer, waiting: [] });
  }

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
    this.#lease.onLost = (reason) => {
      this.#note(`The lease of this node is lost: ${reason}. Its fleet servers stop`);
      return this.#claims.leaseLost(reason);
    };
    this.#lease.onTaken = () =>
      this.#note(`Another host runs as node ${this.name}. Stop it, or rename one of them with --node`);
    this.#lease.onRenewed = renewLease;
    this.#exits.push(() => this.#lease.release());
    const acquired = this.#lease.acquire();
    await (signal ? unlessAborted(acquired, signal) : acquired);
    this.#exits.push(() => this.#entry.remove());
    this.#routes.onServers = () => this.#table.fleetChanged();
    this.#routes.onInstances = (server) => this.#host.reachable(server);
    this.#routes.onSelf = (record) => {
      if (record) this.#entry.seen(record);
      else if (!this.#leaving) void this.#attempt(NOT_WRITTEN, this.#offer()); // the entry was removed, or overwritten by hand
    };
    this.#routes.onClaim = (key, claim) => this.#claims.changed(key, claim);
    this.#routes.onRunEnded = (node, run) => this.#endpoint.callerEnded(node, run);
    this.#exits.push(() => this.#routes.stop());
    await this.#routes.start();
    this.#exits.push(() => this.#table.close());
    const mayAnswer = () => !this.#lease.isTaken;
    const requests = answerNodeRequests(this.#network, this.name, this.#handlers(), mayAnswer);
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

  #handlers(): NodeHandlers {
    const run = runOf(this.#entry.record);
    return {
      'standpipe/ping': () => ({ session: this.#lease.session ?? '', nowMs: wallMs() }),
      'standpipe/place': (params) => this.#claims.place(params),
      'standpipe/release': (params) => {
        this.#claims.release(params);
        return {};
      },
      'standpipe/renew': (params) => {
        this.#claims.renew(params).catch(() => undefined); // the failure was already reported
        return {};
      },
      'standpipe/placement': () => ({ waiting: this.#placer.waiting.slice(0, MOST_WAITING) }),
      'standpipe/calls': ({ calls }) => {
        if (Array.isArray(calls) && calls.length <= MOST_CALLS)
          return { run, states: this.#endpoint.inquire(calls.map(String)) };
        throw invalidParams(`"calls" must be an array of at most ${MOST_CALLS} reply subjects`);
      },
      'standpipe/quota': (ask) => {
        if (this.#quotas) return this.#quotas.answer(ask);
        throw new RpcError(RpcCode.methodNotFound, 'This node has no gateway');
      },
      // The host is called without hooks: another node can neither end this process nor read the credentials for NATS.
      'standpipe/control': ({ method, params }) => {
        if (!isControlMethod(method)) throw methodNotFound(method);
        return answerControl(this.#host, method, params as Params);
      },
    };
  }

  /** Publishes the node's own servers, with the session of the lease. */
  async #offer(): Promise<void> {
    const { session } = this.#lease;
    if (session === undefined || !this.#isReady) return; // the offer is repeated with the next lease, or when ready
    const enabled = this.#table.own.servers.filter((server) => server.enabled);
    const offers = this.#offers && !this.#draining ? enabled.map((server) => server.name) : [];
    await this.#entry.change({ session, offers: this.#own.offer(offers, session) });
  }

  #connected(isConnected: boolean, text: string): void {
    if (!isConnected) {
      this.#services.disconnected();
      return this.#note(
        `${text}. The servers of this node's own config continue; its fleet servers stop when its lease ends`,
      );
    }
    this.#note(text);
    this.#services.reconnected();
    void this.#attempt(NOT_WRITTEN, this.#offer()); // repeats a write that failed in the meantime
  }

  async #held(session: string): Promise<void> {
    this.#note('This node has a lease again');
    const claimed = this.#claims.leaseHeld();
    await this.#attempt(NOT_WRITTEN, this.#offer());
    await claimed;
    if (this.#lease.session === session) this.#table.fleetChanged();
  }

  async #drain(): Promise<void> {
    await this.#attempt('The draining of this node could not be published', this.#entry.change({ draining: true }));
    await this.#attempt('The right to place could not be given back', this.#placer.stop());
    await this.#claims.releaseAll('the node leaves');
  }

  async #leave(): Promise<void> {
    this.#lease.onHeld = undefined;
    this.#table.isLeaving = true;
    await this.drain();
    await this.#attempt('The departure of this node could not be published', this.#offer());
    await this.#own.drain();
    await this.#table.apply(); // removes the servers of other nodes
    for (const exit of this.#exits.reverse()) {
      await this.#attempt('A part of this node did not stop', Promise.resolve(exit()));
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
