// Records the traffic of a server, per process run, and its state changes in the flow.

import { unfinishedValue } from '../../base/secrets/unfinished-value.ts';
import { secretsOf } from '../../config/secrets-of-server.ts';
import type { ServerConfig } from '../../config/server-config.ts';
import type { FlowSource } from '../../observe/flow/source.ts';
import type { FlowStore } from '../../observe/flow/store.ts';
import type { StateChange } from './server-state.ts';

export class WatchedServer {
  readonly #flow: FlowStore;
  readonly #config: () => ServerConfig;
  readonly #owner: string | undefined;
  #source: FlowSource | undefined;

  /** `config` is read at each start, because it can change. `owner` is the user of the process, unless all clients share it. */
  constructor(flow: FlowStore, config: () => ServerConfig, owner: string | undefined) {
    this.#flow = flow;
    this.#config = config;
    this.#owner = owner;
  }

  /** The pid of the running process, from its start. */
  get pid(): number | null {
    return this.#source?.pid ?? null;
  }

  /** Number of the last process run; 0 before the first. */
  get life(): number {
    return this.#source?.life ?? 0;
  }

  /** The observer of the current start. */
  get source(): FlowSource {
    return this.#source ?? this.#begin();
  }

  changed({ from, to, reason }: StateChange): void {
    // A start begins a new process run and is its first event.
    if (to === 'starting') this.#begin();
    this.#source?.add({ kind: 'state', from, to, reason });
  }

  #begin(): FlowSource {
    const config = this.#config();
    const { env, secrets } = secretsOf(config);
    this.#source = this.#flow.begin(config.name);
    this.#source.unfinishedSecret = unfinishedValue(env, secrets);
    if (this.#owner !== undefined) this.#source.add({ kind: 'note', text: `This process is used by ${this.#owner}` });
    return this.#source;
  }
}
