// The servers of a host that has joined a fleet: those of its own config, those of the fleet and of other nodes, and the instances
// that run here. Changes of the fleet are collected for 50 ms and applied together; other changes apply at once.

import type { Clock, Timer } from '../../../base/clock.ts';
import { toError, UsageError } from '../../../base/errors.ts';
import { type ConfigDiff, diffConfigs } from '../../../config/files/diff-configs.ts';
import type { Config } from '../../../config/files/load-config.ts';
import type { ConfigProblem } from '../../../config/problem.ts';
import type { ServerConfig } from '../../../config/server-config.ts';
import type { Host } from '../../host.ts';
import { type RoutingTable, remoteEntry } from '../route/routing-table.ts';

const COLLECT_MS = 50;

interface HostTableOptions {
  clock: Clock;
  note: (text: string) => void;
  learn?: ((servers: readonly ServerConfig[]) => void) | undefined;
}

const RESERVED = 'In a fleet, a name that ends in "#" and a number is reserved for replicas';
/** The slots of a fleet server run as `<server>#<slot>`. The form is reserved even if this node runs none. */
const instanceName = /#\d+$/;

export class HostTable {
  /** The node's own config, without servers whose name is that of an instance. */
  own: Config;
  /** Once true, the next `apply` removes the servers of the fleet and of other nodes. */
  isLeaving = false;
  readonly #host: Host;
  readonly #routes: RoutingTable;
  readonly #fleet: string;
  readonly #options: HostTableOptions;
  readonly #instances = new Map<string, ServerConfig>();
  #hidden: ReadonlySet<string> = new Set();
  #timer: Timer | undefined;

  constructor(host: Host, routes: RoutingTable, fleet: string, options: HostTableOptions) {
    this.#host = host;
    this.#routes = routes;
    this.#fleet = fleet;
    this.#options = options;
    this.own = this.#usable(configOfHost(host));
  }

  /** Resolves to the changed entries of the node's own config. */
  async changeOwn(config: Config): Promise<ConfigDiff> {
    const own = this.#usable(config);
    const diff = diffConfigs(this.own, own);
    this.own = own;
    await this.apply();
    return diff;
  }

  add(instance: ServerConfig): void {
    this.#instances.set(instance.name, instance);
    this.#applyNow(); // processes of an earlier instance of this name end first
  }

  /** Removes a server. Resolves when its processes have exited. */
  async remove(name: string): Promise<void> {
    if (this.#instances.delete(name)) await this.apply();
  }

  fleetChanged(): void {
    this.#timer ??= this.#options.clock.after(COLLECT_MS, () => this.#applyNow());
  }

  /** Resolves when every process that has to end has exited. */
  async apply(): Promise<void> {
    this.close();
    const config = this.#config();
    this.#options.learn?.(config.servers);
    await this.#host.reload(config);
  }

  /** Takes effect at once, without waiting for processes to exit. */
  #applyNow(): void {
    this.apply().catch((error: unknown) => this.#options.note(toError(error).message));
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #config(): Config {
    const { servers, rejected } = this.own;
    const taken = new Set([...servers, ...rejected].map(({ name }) => name));
    const names = this.isLeaving ? [] : this.#routes.servers();
    const hidden = new Set(names.filter((name) => taken.has(name)));
    for (const name of hidden) {
      if (!this.#hidden.has(name))
        this.#options.note(`The server "${name}" of this node hides the fleet server of the same name on this node`);
    }
    this.#hidden = hidden;
    const others = names
      .filter((name) => !taken.has(name))
      .map((name) => remoteEntry(this.#fleet, name, this.#routes.recordOf(name)));
    return { ...this.own, servers: [...servers, ...others, ...this.#instances.values()] };
  }

  #usable(config: Config): Config {
    const isReserved = ({ name }: ServerConfig) => instanceName.test(name);
    const reserved = config.servers.filter(isReserved);
    for (const { name } of reserved)
      this.#options.note(`The server "${name}" of this node is not run: its name has the form of a replica. Rename it`);
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
}

/** The servers of a node itself must come from a config. */
function configOfHost({ config, names }: Host): Config {
  if (config) return config;
  if (names.length === 0) return { servers: [], rejected: [], shadowed: [], problems: [], files: [], searched: [] };
  throw new UsageError('NOT_SUPPORTED', 'A host can join a fleet only with servers of a config, or without servers');
}
