// Writes what happens to a server to the flow: its traffic, process by process, and the changes of its state.

import { secretsOf } from '../../config/secrets-of-server.ts';
import type { ServerConfig } from '../../config/server-config.ts';
import type { FlowSource } from '../../flow/source.ts';
import type { FlowStore } from '../../flow/store.ts';
import { unfinishedValue } from '../../secrets/unfinished-value.ts';
import type { StateChange } from './server-state.ts';

export class WatchedServer {
  readonly #flow: FlowStore;
  readonly #config: () => ServerConfig;
  readonly #owner: string | undefined;
  #source: FlowSource | undefined;

  /** `config` is asked at each start: it can change. `owner`: who uses the process, if not all do. */
  constructor(flow: FlowStore, config: () => ServerConfig, owner: string | undefined) {
    this.#flow = flow;
    this.#config = config;
    this.#owner = owner;
  }

  /** Of the process that lives, from its start on. */
  get pid(): number | null {
    return this.#source?.pid ?? null;
  }

  /** Of the last process that was started; 0 before the first. */
  get life(): number {
    return this.#source?.life ?? 0;
  }

  /** The observer of one start. */
  get source(): FlowSource {
    return this.#source ?? this.#begin();
  }

  changed({ from, to, reason }: StateChange): void {
    // A start begins a new life, and belongs to it.
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
