// A hosted server: its name, its current entry, its processes, and its service. The name stays reserved as long as one of its
// processes runs, even when its entry is changed or removed. The options of a host are here too.

import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.ts';
import type { Evidence } from '../base/errors.ts';
import { sameSettings } from '../config/files/diff-configs.ts';
import { isOfFleet, type RemoteConfig, type ServerConfig, toolFilter } from '../config/server-config.ts';
import type { Client } from '../mcp/client/client.ts';
import type { ClientLink } from '../mcp/client/connection.ts';
import type { EraMemory } from '../mcp/client/opening/era-memory.ts';
import type { CallOptions, ClientOptions, InputHandlers } from '../mcp/client/options.ts';
import { AskingTools } from '../mcp/client/session/asking-tools.ts';
import { builtInExtensions } from '../mcp/extensions/built-in.ts';
import { defaultExtensions } from '../mcp/extensions/default-extensions.ts';
import { type Extension, type KeptRecords, register, withDefaults } from '../mcp/extensions/extension.ts';
import { compose, overlay, type ServiceLayer } from '../mcp/layers/layer.ts';
import type { Service, ServiceFacts } from '../mcp/service.ts';
import type { FlowStore } from '../observe/flow/store.ts';
import type { WireObserver } from '../wire/wire.ts';
import type { Unapproved } from './pool/approved-definitions.ts';
import type { Askable } from './pool/askable.ts';
import type { Instance, InstanceOwner } from './pool/instance.ts';
import { Pool } from './pool/pool.ts';
import { allowedClient, PooledService } from './pool/pooled-service.ts';
import { type ServerClient, typedClient } from './services/typed-client.ts';
import type { StateChange } from './supervision/server-state.ts';
import type { SupervisedServer } from './supervision/supervised-server.ts';

/** A hosted server, for layers around it. */
export interface LayeredServer {
  /** The current entry: a reload of the config replaces it. */
  readonly config: ServerConfig;
  /** The revision of MCP that its last process speaks. Undefined before the first is connected. */
  readonly revision: string | undefined;
}

export interface HostOptions {
  /** Extensions that this host takes part in. All others pass through it unchanged. */
  extensions?: readonly Extension[];
  /** Handlers for requests from a server: elicitation, sampling, roots. */
  inputs?: (server: string) => InputHandlers;
  /** Default: a new store. */
  flow?: FlowStore;
  onStateChange?: (change: StateChange) => void;
  /** Called once for each definition of a server that its lock does not approve. Its text is not passed on. */
  onUnapproved?: (unapproved: Unapproved) => void;
  /** Called with the first non-protocol text on stdout after a start, and again when the count reaches 10, 100, 1000 and so on. */
  onNoise?: (noise: { server: string; text: string; count: number }) => void;
  /** Creates the service of a server that nodes of a fleet run (`isOfFleet`). Called for each connection. */
  serviceOf?: ServiceOf | undefined;
  /** The reason why a server of the fleet cannot be reached at the moment. */
  whyAway?: ((server: string) => string | undefined) | undefined;
  /**
   * File that keeps records of extensions, such as tasks, beyond this process. Only one host may use it at a time. Default: the records
   * end with the host.
   */
  stateFile?: string;
  /** Called when that file cannot be used. Default: a warning of the process. */
  onStateFileProblem?: (error: Error) => void;
  /** The records of a server of the fleet, or of an instance that this node runs for it. Undefined for all others. */
  recordsOf?: ((config: ServerConfig) => KeptRecords | undefined) | undefined;
  /** Further layers around the service of each server, such as an audit trail. The first one receives a request first. */
  layers?: ((server: string, facts: LayeredServer) => readonly ServiceLayer[]) | undefined;
  eraMemory?: EraMemory;
  clock?: Clock;
  random?: () => number;
}

export type ServiceOf = (
  config: RemoteConfig,
  options: { observer: WireObserver | undefined; client: ClientOptions },
) => StartedService | undefined;

export interface StartedService extends Service, ClientLink {
  /** Resolves when the server has described itself. */
  start(): Promise<void>;
  evidence(): Evidence;
}

/** `repeatable`: the call may run twice, regardless of the tool's annotations. */
export type HostCallOptions = CallOptions;

export interface HostUseOptions {
  /** Whether the call may run twice. */
  repeatable?: boolean;
  /** Whether the call is counted in `calls` of the status. Default: true. */
  counts?: boolean;
  /** A failure caused by this signal is not counted in `errors` of the status. */
  signal?: AbortSignal | undefined;
}

export interface HostContext
  extends Pick<
    HostOptions,
    | 'extensions'
    | 'inputs'
    | 'onStateChange'
    | 'onNoise'
    | 'onUnapproved'
    | 'serviceOf'
    | 'whyAway'
    | 'recordsOf'
    | 'layers'
    | 'random'
  > {
  flow: FlowStore;
  clock: Clock;
  eraMemory: EraMemory;
}

/** A server may change its definitions at every listing. */
const MOST_TOLD = 1_000;

export class HostedServer implements InstanceOwner, LayeredServer {
  readonly pool: Pool;
  readonly service: Service;
  readonly clock: Clock;
  mayUse: (tool: string) => boolean;
  asking: AskingTools;
  /** The client for calls, created again for each process, because the warnings belong to one process. */
  calls: ServerClient;
  client: Client | undefined;
  #config: ServerConfig;
  #removed = false;
  readonly #whyAway: HostOptions['whyAway'];
  readonly #recordsOf: HostOptions['recordsOf'];
  readonly #onUnapproved: HostOptions['onUnapproved'];
  /** Messages about definitions that are not approved, each of which is passed on once. */
  readonly #told = new Set<string>();
  readonly #pooled = new PooledService(this);
  readonly #extensions: readonly Extension[];
  /** Extensions for calls of the program that runs the host. */
  readonly #clientExtensions: readonly Extension[];

  constructor(config: ServerConfig, context: HostContext) {
    this.#config = config;
    this.clock = context.clock;
    this.#whyAway = context.whyAway;
    this.#recordsOf = context.recordsOf;
    this.#onUnapproved = context.onUnapproved;
    this.mayUse = toolFilter(config.tools);
    this.asking = new AskingTools(config.asks);
    this.pool = new Pool(this, context);
    this.#extensions = register(withDefaults(builtInExtensions, context.extensions, 'host'));
    this.#clientExtensions = register(withDefaults(defaultExtensions, context.extensions, 'client'));
    this.service = compose(this.#extended(), ...(context.layers?.(config.name, this) ?? []));
    this.calls = this.#typedClient();
  }

  /** Whether the entry allows only some tools. */
  get limitsTools(): boolean {
    return Object.keys(this.#config.tools).length > 0;
  }

  get config(): ServerConfig {
    return this.#config;
  }

  get revision(): string | undefined {
    return this.client?.server.revision;
  }

  get facts(): ServiceFacts | undefined {
    return this.client?.server;
  }

  get whyAway(): string | undefined {
    return isOfFleet(this.#config) ? this.#whyAway?.(this.#config.name) : undefined;
  }

  get records(): KeptRecords | undefined {
    return this.#recordsOf?.(this.#config);
  }

  /** The host's own process. With `share` "all", clients use it too. */
  get supervised(): SupervisedServer<Client> {
    return this.pool.home.supervised;
  }

  get leaving(): Promise<unknown> | undefined {
    return this.pool.leaving;
  }

  /** True after the entry was removed. The server is kept until its processes have exited. */
  get isRemoved(): boolean {
    return this.#removed;
  }

  askable(instance: Instance): Iterable<Askable> {
    return this.pool.askable(instance);
  }

  connected(instance: Instance): void {
    this.client = instance.client;
    if (instance !== this.pool.home) return;
    this.calls = this.#typedClient();
    this.pool.announceMore();
  }

  use<T>(run: (client: Client) => Promise<T>, options: HostUseOptions): Promise<T> {
    return this.supervised.use((client) => run(allowedClient(client, this, this.#clientExtensions)), options);
  }

  async locked(client: Client): Promise<Client> {
    const { lock } = this.#config;
    if (!lock) return client;
    const [{ lockedClient, readDefinitions }, { ApprovedDefinitions, refusedServer, whyRefused }] = await Promise.all([
      import('./pool/locked-client.ts'),
      import('./pool/approved-definitions.ts'), // loads node:crypto
    ]);
    let isOpening = true;
    let isRefused = lock.why !== undefined;
    const report = (unapproved: Unapproved) => {
      client.warn('definition-not-approved', unapproved.message, unapproved.message);
      this.#unapproved(unapproved);
      if (unapproved.mode !== 'refuse') return;
      isRefused = true;
      if (!isOpening) void this.pool.stop(whyRefused(this.#config));
    };
    const approvals = new ApprovedDefinitions(this.#config.name, () => this.#config.lock ?? lock, report);
    const locked = lockedClient(client, approvals);
    if (lock.mode === 'refuse') {
      await readDefinitions(locked);
      if (isRefused) throw refusedServer(this.#config);
    }
    isOpening = false;
    return locked;
  }

  #unapproved(unapproved: Unapproved): void {
    const { message } = unapproved;
    if (this.#told.has(message) || this.#told.size >= MOST_TOLD) return;
    this.#told.add(message);
    this.#onUnapproved?.(unapproved);
  }

  /** Applies another lock without a restart. A server that was refused, or may be, starts again instead. */
  #relocked(config: ServerConfig): boolean {
    const before = this.#config;
    if (!before.lock || !config.lock || this.#removed) return false;
    if (before.lock.mode === 'refuse' || config.lock.mode === 'refuse') return false;
    if (before.lock.instructions !== config.lock.instructions) return false;
    if (!sameSettings({ ...before, lock: undefined }, { ...config, lock: undefined })) return false;
    this.#config = config;
    this.pool.lockChanged();
    return true;
  }

  /** Applies another entry. Resolves when the processes of the old one have exited. */
  async change(config: ServerConfig, intention: { wanted: boolean; held: string | undefined }): Promise<void> {
    if (this.#relocked(config)) return;
    const isOtherShare = !isDeepStrictEqual(config.share, this.#config.share);
    this.#removed = false;
    this.#config = config;
    this.client = undefined;
    this.pool.home.client = undefined;
    this.pool.home.catalogue?.expire();
    this.mayUse = toolFilter(config.tools);
    this.asking = new AskingTools(config.asks);
    const gone = this.pool.replace(intention, isOtherShare);
    if (isOtherShare) this.#pooled.shareChanged();
    await gone;
  }

  /** Applies an entry that differs only in its position in the file. */
  moved(config: ServerConfig): void {
    this.#config = config;
  }

  remove(): Promise<void> {
    this.#removed = true;
    this.pool.endWatches();
    return this.pool.stop(whyRemoved(this.#config));
  }

  #typedClient(): ServerClient {
    return typedClient(this.service, { extensions: this.#clientExtensions });
  }

  /** For a server of a fleet, the node that runs it has the `host` parts of extensions, and this one the `relay` parts. */
  #extended(): Service {
    const parts = (part: 'host' | 'relay') => {
      let outer: Service = this.#pooled;
      for (const { [part]: over } of this.#extensions) if (over) outer = overlay(outer, over(outer, this));
      return outer;
    };
    const [here, elsewhere] = [parts('host'), parts('relay')];
    if (here === elsewhere) return here;
    const chosen = (): Service => (isOfFleet(this.#config) ? elsewhere : here);
    return overlay(this.#pooled, {
      describe: (client) => chosen().describe(client),
      request: (method, params, caller) => chosen().request(method, params, caller),
      notify: (method, params, client) => chosen().notify(method, params, client),
      watch: (watcher) => chosen().watch(watcher),
      gone: (client) => chosen().gone?.(client),
      toolFor: (tool, client) => chosen().toolFor?.(tool, client) ?? tool,
    });
  }
}

function whyRemoved(config: ServerConfig): string {
  if (config.unlisted) return 'this node no longer runs it for the fleet';
  return isOfFleet(config) ? 'it is no longer in the fleet' : 'its entry was removed from the config';
}
