// The servers of a host that has joined a fleet: those of its own config, those of the fleet and of other nodes, and the instances
// that run here. Changes of the fleet are collected for 50 ms and applied together; other changes apply at once.

import type { Clock, Timer } from '../../../base/clock.ts';
import { toError, UsageError } from '../../../base/errors.ts';
import { type ConfigDiff, diffConfigs } from '../../../config/files/diff-configs.ts';
import type { Config } from '../../../config/files/load-config.ts';
import type { ConfigProblem } from '../../../config/problem.ts';
import type { ServerConfig } from '../../../config/server-config.ts';
import type { Host } from '../../host.ts';
import type { ServerRecord } from '../cluster-network.ts';
import { remoteEntry } from '../remote-entry.ts';

/** How long changes of the fleet are collected. */
const COLLECT_MS = 50;

export interface ServersOfFleet {
  fleet: string;
  /** Servers of the fleet by name, and servers of other nodes as `<name>@<node>`. */
  names(): readonly string[];
  /** The record of a server of the fleet. */
  recordOf(name: string): ServerRecord | undefined;
  /** A server of this node hides a server of the fleet with the same name. */
  onHidden(name: string): void;
  /** A server of this node has the name of an instance, and is not run. */
  onReserved(name: string): void;
  /** A server could not be ended properly. */
  onProblem(error: Error): void;
  /** Called before servers are started. */
  onServers(servers: readonly ServerConfig[]): void;
}

const RESERVED = 'In a fleet, names that end in "#" and a number are those of replicas';
/** The slots of a fleet server run as `<server>#<slot>`. The form is reserved even if this node runs none. */
const instanceName = /#\d+$/;

export class HostTable {
  /** Without servers that have the name of an instance. */
  own: Config;
  readonly #host: Host;
  readonly #others: ServersOfFleet;
  readonly #clock: Clock;
  readonly #instances = new Map<string, ServerConfig>();
  #hidden: ReadonlySet<string> = new Set();
  #timer: Timer | undefined;

  constructor(host: Host, own: Config, others: ServersOfFleet, clock: Clock) {
    this.#host = host;
    this.#others = others;
    this.#clock = clock;
    this.own = this.#usable(own);
  }

  /** Resolves to the changed entries of the node's own config. */
  async changeOwn(config: Config): Promise<ConfigDiff> {
    const own = this.#usable(config);
    const diff = diffConfigs(this.own, own);
    this.own = own;
    await this.apply();
    return diff;
  }

  /** Runs the instance from now on. */
  add(instance: ServerConfig): void {
    this.#instances.set(instance.name, instance);
    this.#applyNow(); // processes of an earlier instance of this name end first
  }

  /** Resolves when its processes have exited. */
  async remove(name: string): Promise<void> {
    if (this.#instances.delete(name)) await this.apply();
  }

  fleetChanged(): void {
    this.#timer ??= this.#clock.after(COLLECT_MS, () => this.#applyNow());
  }

  /** Resolves when every process that has to end has exited. */
  async apply(): Promise<void> {
    this.close();
    const config = this.#config();
    this.#others.onServers(config.servers);
    await this.#host.reload(config);
  }

  /** Takes effect at once, without waiting for processes to exit. */
  #applyNow(): void {
    this.apply().catch((error: unknown) => this.#others.onProblem(toError(error)));
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #config(): Config {
    const { servers, rejected } = this.own;
    const taken = new Set([...servers, ...rejected].map(({ name }) => name));
    const { fleet, recordOf } = this.#others;
    const names = this.#others.names();
    this.#tellHidden(names.filter((name) => taken.has(name)));
    const others = names.filter((name) => !taken.has(name)).map((name) => remoteEntry(fleet, name, recordOf(name)));
    return { ...this.own, servers: [...servers, ...others, ...this.#instances.values()] };
  }

  #usable(config: Config): Config {
    const isReserved = ({ name }: ServerConfig) => instanceName.test(name);
    const reserved = config.servers.filter(isReserved);
    for (const { name } of reserved) this.#others.onReserved(name);
    const rejected = reserved.map(({ name, source }) => ({ name, source, message: RESERVED }));
    const problems = reserved.map(({ name: server, source }): ConfigProblem => {
      const kind = { severity: 'error', code: 'CONFIG_INVALID', message: RESERVED } as const;
      return { ...kind, server, ...source, suggestion: 'Rename the server.' };
    });
    return {
      ...config,
      servers: config.servers.filter((server) => !isReserved(server)),
      rejected: [...config.rejected, ...rejected],
      problems: [...config.problems, ...problems],
    };
  }

  #tellHidden(names: readonly string[]): void {
    const before = this.#hidden;
    this.#hidden = new Set(names);
    for (const name of names) if (!before.has(name)) this.#others.onHidden(name);
  }
}

/** The own servers of a node must come from a config. */
export function configOfHost({ config, names }: Host): Config {
  if (config) return config;
  if (names.length === 0) return { servers: [], rejected: [], shadowed: [], problems: [], files: [], searched: [] };
  throw new UsageError('NOT_SUPPORTED', 'A host joins a fleet with the servers of a config, or without any');
}
