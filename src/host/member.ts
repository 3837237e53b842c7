// A name of a host with the server behind it: its current entry, its supervision, its service, and what is known of its tools. A
// name keeps its place as long as a process of it runs, also when its entry is changed or removed.

import type { Clock } from '../base/clock.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { toolFilter } from '../config/tool-filter.ts';
import type { FlowStore } from '../flow/store.ts';
import type { Client } from '../mcp/client/client.ts';
import type { EraMemory } from '../mcp/client/opening/era-memory.ts';
import type { HostOptions } from './host-options.ts';
import { ProcessService } from './services/process-service.ts';
import { ToolMemory } from './services/tool-memory.ts';
import { type ServerClient, typedClient } from './services/typed-client.ts';
import { openServer } from './supervision/open-server.ts';
import { SupervisedServer } from './supervision/supervised-server.ts';
import { WatchedServer } from './supervision/watched-server.ts';

export interface MemberContext extends Pick<HostOptions, 'inputs' | 'onStateChange' | 'onNoise' | 'random'> {
  flow: FlowStore;
  clock: Clock;
  eraMemory: EraMemory;
}

export class Member {
  readonly supervised: SupervisedServer<Client>;
  readonly memory = new ToolMemory();
  readonly service = new ProcessService(this);
  mayUse: (tool: string) => boolean;
  /** Typed calls through the service. Made anew with each process, since its warnings are those of one process. */
  calls: ServerClient = typedClient(this.service);
  /** Of the last process of this entry that was connected. */
  client: Client | undefined;
  #config: ServerConfig;
  #removed = false;

  constructor(config: ServerConfig, context: MemberContext) {
    const { name } = config;
    const { flow, clock, eraMemory, inputs, onNoise, onStateChange, random } = context;
    const watched = new WatchedServer(flow, () => this.#config);
    this.#config = config;
    this.mayUse = toolFilter(config.tools);
    this.supervised = new SupervisedServer<Client>({
      name,
      entry: config,
      clock,
      random,
      pid: () => watched.pid,
      open: async (signal) => {
        const link = await openServer(this.#config, {
          signal,
          clock,
          eraMemory,
          observer: watched.source,
          inputs: this.service.inputsOf(inputs?.(name) ?? {}),
          onNoise: (text, count) => onNoise?.({ server: name, text, count }),
        });
        this.client = link.client;
        this.calls = typedClient(this.service);
        this.memory.follow(link.client);
        this.service.follow(link.client);
        return link;
      },
      onStateChange: (change) => {
        watched.changed(change);
        onStateChange?.(change);
      },
    });
  }

  get config(): ServerConfig {
    return this.#config;
  }

  /** Its entry was removed: it is known only until its process has exited. */
  get isRemoved(): boolean {
    return this.#removed;
  }

  /** Takes up another entry. Resolves when the process of the old one is gone. */
  change(config: ServerConfig, intention: { wanted: boolean; held: string | undefined }): Promise<void> {
    this.#removed = false;
    this.#config = config;
    this.client = undefined;
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
