// The servers of a host without a config: a client sends a command or an address with its connection. Clients with equal commands,
// arguments, variables and folders, or with equal addresses and headers, share a server. A server without clients is removed after `idleMs`.

import { isAbsolute } from 'node:path';
import type { Clock, Timer } from '../../base/clock.ts';
import { UsageError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { addressFault } from '../../config/expand/address.ts';
import type { Config } from '../../config/files/load-config.ts';
import { COMMAND_LINE } from '../../config/problem.ts';
import {
  defaultCommandSettings,
  defaultRemoteSettings,
  defaultSettings,
  type RemoteConfig,
  remoteTransports,
  type ServerConfig,
  type ServerSettings,
  type SharePolicy,
  shareModes,
} from '../../config/server-config.ts';
import type { Host } from '../host.ts';

export type BroughtServer = BroughtCommand | BroughtAddress;

interface Brought {
  name: string;
  share?: SharePolicy['by'] | undefined;
}

export interface BroughtAddress extends Brought, Pick<RemoteConfig, 'url' | 'headers' | 'transport' | 'secrets'> {}

export interface BroughtCommand extends Brought {
  url?: undefined;
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
  /** The client's PATH. Servers with a different PATH count as equal, because windows of one user have different PATHs. */
  path?: string | undefined;
}

/** The use of a server by one connection. */
export interface ServerShare {
  name: string;
  release(): void;
}

interface SharedServer {
  config: ServerConfig;
  clients: number;
  removal: Timer | undefined;
}

export interface SharedServersOptions {
  clock: Clock;
  /** How long a server without clients is kept. */
  idleMs: number;
  /** Called with the settings of all servers before a server is added. */
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
    const { share } = brought;
    const settings = {
      ...defaultSettings,
      name: this.#freeName(brought.name),
      share: share ? { ...defaultSettings.share, by: share } : defaultSettings.share,
      autoStart: false,
      source: { file: COMMAND_LINE, line: 1, column: 1 },
    };
    const server = { config: configOf(brought, settings), clients: 0, removal: undefined };
    this.#byKey.set(key, server);
    this.#options.onAdd?.(this.#configs());
    this.#apply();
    return server;
  }

  #apply(): void {
    this.#host.reload(configWith(this.#configs())).catch((error: Error) => process.emitWarning(error));
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

  /** Another server may have the name already, or still have a process that is ending. */
  #freeName(wanted: string): string {
    const taken = new Set(this.#host.status().map(({ name }) => name));
    let name = wanted;
    for (let number = 2; taken.has(name); number++) name = `${wanted}-${number}`;
    return name;
  }
}

function configOf(brought: BroughtServer, settings: ServerSettings): ServerConfig {
  if (brought.url !== undefined) {
    const { url, headers, transport, secrets } = brought;
    return { ...settings, ...defaultRemoteSettings, url, headers, transport, secrets };
  }
  const { command, args, env, cwd, path } = brought;
  const all = path === undefined ? env : { PATH: path, ...env };
  return { ...settings, ...defaultCommandSettings, command, args, env: all, cwd };
}

/** Only variables that the entry names distinguish servers: inherited variables differ between windows. */
function keyOf(brought: BroughtServer): string {
  const { share } = brought;
  if (brought.url !== undefined)
    return JSON.stringify([brought.url, sorted(brought.headers), brought.transport, share]);
  const { command, args, env, cwd } = brought;
  return JSON.stringify([command, args, sorted(env), cwd, share]);
}

function sorted(values: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isTextList = (value: unknown) => Array.isArray(value) && value.every((word) => typeof word === 'string');
const isTextByName = (value: unknown) => isObject(value) && isTextList(Object.values(value));

function checked(given: unknown): BroughtServer {
  const brought = (isObject(given) ? given : {}) as Partial<BroughtServer>;
  const { name, share } = brought;
  const isShared = share === undefined || shareModes.includes(share);
  const isSound = brought.url === undefined ? isCommand(brought as Partial<BroughtCommand>) : isAddress(brought);
  if (!isText(name) || !isShared || !isSound)
    throw new UsageError(
      'INVALID_OPTION',
      `A server needs a name, a command, args, env and an absolute cwd, or a url, headers and a transport, and share as one of ${shareModes.join(', ')}`,
    );
  return given as BroughtServer;
}

function isCommand({ command, args, env, cwd, path }: Partial<BroughtCommand>): boolean {
  const isFound = path === undefined || isText(path);
  return isText(command) && isTextList(args) && isTextByName(env) && isText(cwd) && isAbsolute(cwd!) && isFound;
}

function isAddress({ url, headers, transport, secrets }: Partial<BroughtAddress>): boolean {
  const isUrl = isText(url) && addressFault(url!) === undefined;
  return isUrl && isTextByName(headers) && remoteTransports.includes(transport!) && isTextList(secrets);
}

function configWith(servers: readonly ServerConfig[]): Config {
  return { servers, rejected: [], shadowed: [], problems: [], files: [], searched: [] };
}
