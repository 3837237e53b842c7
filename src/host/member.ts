// A name of a host with the server behind it: its current entry, its processes, and its service. A name keeps its place as long
// as a process of it runs, also when its entry is changed or removed.

import type { Clock } from '../base/clock.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { toolFilter } from '../config/tool-filter.ts';
import type { FlowStore } from '../flow/store.ts';
import type { Client } from '../mcp/client/client.ts';
import type { EraMemory } from '../mcp/client/opening/era-memory.ts';
import type { HostOptions } from './host-options.ts';
import { Instance, type InstanceOwner } from './pool/instance.ts';
import type { ProcessService } from './services/process-service.ts';
import type { ToolMemory } from './services/tool-memory.ts';
import { type ServerClient, typedClient } from './services/typed-client.ts';
import type { ServerStatus } from './supervision/server-state.ts';
import type { SupervisedServer } from './supervision/supervised-server.ts';

export interface MemberContext extends Pick<HostOptions, 'inputs' | 'onStateChange' | 'onNoise' | 'random'> {
  flow: FlowStore;
  clock: Clock;
  eraMemory: EraMemory;
}

export class Member implements InstanceOwner {
  mayUse: (tool: string) => boolean;
  /** Typed calls through the service. Made anew with each process, since its warnings are those of one process. */
  calls: ServerClient;
  readonly #instance: Instance;
  #config: ServerConfig;
  #removed = false;

  constructor(config: ServerConfig, context: MemberContext) {
    this.#config = config;
    this.mayUse = toolFilter(config.tools);
    this.#instance = new Instance(this, context, 'all');
    this.calls = typedClient(this.service);
  }

  get config(): ServerConfig {
    return this.#config;
  }

  get service(): ProcessService {
    return this.#instance.service;
  }

  get supervised(): SupervisedServer<Client> {
    return this.#instance.supervised;
  }

  get memory(): ToolMemory {
    return this.#instance.memory;
  }

  get client(): Client | undefined {
    return this.#instance.client;
  }

  get status(): ServerStatus {
    const { isAtRest, status } = this.#instance;
    return { ...this.supervised.status, processes: isAtRest ? [] : [status] };
  }

  /** Its entry was removed: it is known only until its process has exited. */
  get isRemoved(): boolean {
    return this.#removed;
  }

  connected(): void {
    this.calls = typedClient(this.service);
  }

  /** Takes up another entry. Resolves when the process of the old one is gone. */
  change(config: ServerConfig, intention: { wanted: boolean; held: string | undefined }): Promise<void> {
    this.#removed = false;
    this.#config = config;
    this.#instance.client = undefined;
    this.mayUse = toolFilter(config.tools);
    return this.supervised.replace(config, intention);
  }

  /** The same settings at another place of the file. */
  moved(config: ServerConfig): void {
    this.#config = config;
  }

  remove(): Promise<void> {
    this.#removed = true;
    this.service.end();
    return this.supervised.stop('its entry was removed from the config');
  }
}
