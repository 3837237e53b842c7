// The servers of a host without a config: each is the command that a client brought with its connection. Clients that brought
// the same command, arguments, variables and folder have the same server. A server without clients is removed after a time.

import { isAbsolute } from 'node:path';
import type { Clock, Timer } from '../../base/clock.ts';
import { UsageError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import type { Config } from '../../config/files/load-config.ts';
import {
  type CommandConfig,
  defaultCommandSettings,
  defaultSettings,
  type ServerConfig,
  type SharePolicy,
  shareModes,
} from '../../config/server-config.ts';
import type { Host } from '../host.ts';

/** A server as a client brings it. */
export interface BroughtServer {
  /** For lists and logs. */
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
  /** Where the client looks for programs. It does not make another server of it: windows of one user have different ones. */
  path?: string | undefined;
  /** As in the config. */
  share?: SharePolicy['by'] | undefined;
}

/** What a connection has of a server. */
export interface ServerShare {
  name: string;
  /** The connection is over. */
  release(): void;
}

interface SharedServer {
  config: CommandConfig;
  clients: number;
  removal: Timer | undefined;
}

export interface SharedServersOptions {
  clock: Clock;
  /** How long a server without clients is kept. */
  idleMs: number;
  /** Called with all settings, before a server is added. */
  onAdd?: (servers: readonly ServerConfig[]) => void;
}

export class SharedServers {
  readonly #host: Host;
  readonly #options: SharedServersOptions;
  readonly #byKey = new Map<string, SharedServer>();

  constructor(host: Host, options: SharedServersOptions) {
    this.#host = host;
    this.#options = options;
  }

  share(given: unknown): ServerShare {
    const brought = checked(given);
    const key = keyOf(brought);
    const server = this.#byKey.get(key) ?? this.#add(key, brought);
    server.clients++;
    server.removal?.cancel();
    let released = false;
    return {
      name: server.config.name,
      release: () => {
        if (released) return;
        released = true;
        if (--server.clients === 0) this.#removeLater(key, server);
      },
    };
  }

  #add(key: string, brought: BroughtServer): SharedServer {
    const { command, args, env, cwd, path, share } = brought;
    const config: CommandConfig = {
      ...defaultSettings,
      ...defaultCommandSettings,
      name: this.#freeName(brought.name),
      command,
      args,
      env: path === undefined ? env : { PATH: path, ...env },
      cwd,
      share: share ? { ...defaultSettings.share, by: share } : defaultSettings.share,
      autoStart: false,
      source: { file: 'standpipe connect', line: 1, column: 1 },
    };
    const server = { config, clients: 0, removal: undefined };
    this.#byKey.set(key, server);
    this.#options.onAdd?.(this.#configs());
    this.#apply();
    return server;
  }

  /** The servers are known at once; processes that have to go are waited for by the host. */
  #apply(): void {
    this.#host.reload(configOf(this.#configs())).catch((error: Error) => process.emitWarning(error));
  }

  #removeLater(key: string, server: SharedServer): void {
    server.removal = this.#options.clock.after(this.#options.idleMs, () => {
      this.#byKey.delete(key);
      this.#apply();
    });
    server.removal.keepAlive(false);
  }

  #configs(): ServerConfig[] {
    return [...this.#byKey.values()].map(({ config }) => config);
  }

  /** Another server may have the name already, or still has a process that ends. */
  #freeName(wanted: string): string {
    const taken = new Set(this.#host.status().map(({ name }) => name));
    let name = wanted;
    for (let number = 2; taken.has(name); number++) name = `${wanted}-${number}`;
    return name;
  }
}

/** Only the variables that the entry names count: those that all servers inherit are different from window to window. */
function keyOf({ command, args, env, cwd, share }: BroughtServer): string {
  return JSON.stringify([command, args, Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1)), cwd, share]);
}

function checked(given: unknown): BroughtServer {
  const { name, command, args, env, cwd, path, share } = (isObject(given) ? given : {}) as Partial<BroughtServer>;
  const isText = (value: unknown) => typeof value === 'string' && value !== '';
  const isSound =
    isText(name) &&
    isText(command) &&
    Array.isArray(args) &&
    args.every((word) => typeof word === 'string') &&
    isObject(env) &&
    Object.values(env).every((value) => typeof value === 'string') &&
    isText(cwd) &&
    isAbsolute(cwd!) &&
    (path === undefined || isText(path)) &&
    (share === undefined || shareModes.includes(share));
  if (!isSound)
    throw new UsageError(
      'INVALID_OPTION',
      `A server needs a name, a command, args, env, an absolute cwd, and share as one of ${shareModes.join(', ')}`,
    );
  return given as BroughtServer;
}

function configOf(servers: readonly ServerConfig[]): Config {
  return { servers, rejected: [], shadowed: [], problems: [], files: [], searched: [] };
}
