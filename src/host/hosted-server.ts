// A hosted server: its name, its current entry, its processes, and its service. The name stays reserved as long as one of its
// processes runs, also when its entry is changed or removed.

import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.ts';
import { isOfFleet, type ServerConfig } from '../config/server-config.ts';
import { toolFilter } from '../config/tool-filter.ts';
import type { Client } from '../mcp/client/client.ts';
import type { EraMemory } from '../mcp/client/opening/era-memory.ts';
import { AskingTools } from '../mcp/client/session/asking-tools.ts';
import { type Extension, register } from '../mcp/extensions/extension.ts';
import { overlay } from '../mcp/layers/layer.ts';
import type { Service } from '../mcp/service.ts';
import type { FlowStore } from '../observe/flow/store.ts';
import type { HostOptions, HostUseOptions } from './host-options.ts';
import type { Askable } from './pool/askable.ts';
import type { Instance, InstanceOwner } from './pool/instance.ts';
import { Pool } from './pool/pool.ts';
import { PooledService } from './pool/pooled-service.ts';
import { allowedClient } from './services/allowed-tools.ts';
import { type ServerClient, typedClient } from './services/typed-client.ts';
import type { SupervisedServer } from './supervision/supervised-server.ts';

export interface MemberContext
  extends Pick<
    HostOptions,
    'extensions' | 'inputs' | 'onStateChange' | 'onNoise' | 'serviceOf' | 'whyAway' | 'random'
  > {
  flow: FlowStore;
  clock: Clock;
  eraMemory: EraMemory;
}

export class HostMember implements InstanceOwner {
  readonly pool: Pool;
  /** Requests of clients: those of extensions first, then the processes. */
  readonly service: Service;
  mayUse: (tool: string) => boolean;
  asking: AskingTools;
  /** Typed calls through the service. Created again for each process, because the warnings belong to one process. */
  calls: ServerClient;
  /** Client of the last connected process of this entry. */
  client: Client | undefined;
  #config: ServerConfig;
  #removed = false;
  readonly #whyAway: HostOptions['whyAway'];
  readonly #pooled = new PooledService(this);
  readonly #extensions: readonly Extension[];

  constructor(config: ServerConfig, context: MemberContext) {
    this.#config = config;
    this.#whyAway = context.whyAway;
    this.mayUse = toolFilter(config.tools);
    this.asking = new AskingTools(config.asks);
    this.pool = new Pool(this, context);
    this.#extensions = register(context.extensions);
    this.service = this.#extended();
    this.calls = this.#typedClient();
  }

  get config(): ServerConfig {
    return this.#config;
  }

  get whyAway(): string | undefined {
    return isOfFleet(this.#config) ? this.#whyAway?.(this.#config.name) : undefined;
  }

  /** Supervision of the host's own process: the process that all clients share, or one for requests unrelated to a client. */
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

  /** Uses the host's own process. */
  use<T>(run: (client: Client) => Promise<T>, options: HostUseOptions): Promise<T> {
    return this.supervised.use((client) => run(allowedClient(client, this)), options);
  }

  /** Applies another entry. Resolves when the processes of the old one have exited. */
  async change(config: ServerConfig, intention: { wanted: boolean; held: string | undefined }): Promise<void> {
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

  /** Applies an entry with unchanged settings at another position of the file. */
  moved(config: ServerConfig): void {
    this.#config = config;
  }

  remove(): Promise<void> {
    this.#removed = true;
    this.pool.endWatches();
    return this.pool.stop(whyRemoved(this.#config));
  }

  #typedClient(): ServerClient {
    return typedClient(this.service, { extensions: this.#extensions });
  }

  /** For a server of a fleet, extensions take part on the node that runs it. */
  #extended(): Service {
    const plain = this.#pooled;
    let outer: Service = plain;
    for (const { host } of this.#extensions) if (host) outer = overlay(outer, host(outer, this));
    if (outer === plain) return plain;
    const chosen = () => (isOfFleet(this.#config) ? plain : outer);
    return overlay(plain, {
      describe: (client) => chosen().describe(client),
      request: (method, params, caller) => chosen().request(method, params, caller),
      notify: (method, params, client) => chosen().notify(method, params, client),
      watch: (watcher) => chosen().watch(watcher),
      gone: (client) => chosen().gone?.(client),
    });
  }
}

function whyRemoved(config: ServerConfig): string {
  if (config.unlisted) return 'this node no longer runs it for the fleet';
  return isOfFleet(config) ? 'it is no longer in the fleet' : 'its entry was removed from the config';
}
