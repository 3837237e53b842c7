// What happens to a server, told to the flow: its traffic, process by process, and the changes of its state. It also knows
// which process lives, from its start on.

import type { ServerConfig } from '../config/server-config.ts';
import { FlowObserver } from '../flow/flow-observer.ts';
import type { FlowSource } from '../flow/source.ts';
import type { FlowStore } from '../flow/store.ts';
import { secretsInArguments } from '../secrets/redact-arguments.ts';
import { unfinishedValue } from '../secrets/unfinished-value.ts';
import type { StateChange } from './server-state.ts';

export class WatchedServer {
  /** Of the process that lives. */
  pid: number | null = null;
  readonly #flow: FlowStore;
  readonly #config: () => ServerConfig;
  #source: FlowSource | undefined;

  /** `config` is asked at each start: it can change. */
  constructor(flow: FlowStore, config: () => ServerConfig) {
    this.#flow = flow;
    this.#config = config;
  }

  changed({ from, to, reason }: StateChange): void {
    // A start begins a new life, and belongs to it.
    if (to === 'starting') this.#begin();
    this.#source?.add({ kind: 'state', from, to, reason });
  }

  /** For one start. */
  observer(): FlowObserver {
    return new ProcessObserver(
      this.#source ?? this.#begin(),
      () => this.#begin(),
      (pid) => {
        this.pid = pid;
      },
    );
  }

  #begin(): FlowSource {
    const { name, env, args, secrets } = this.#config();
    this.#source = this.#flow.begin(name);
    this.#source.unfinishedSecret = unfinishedValue(env, [...secrets, ...secretsInArguments(args)]);
    return this.#source;
  }
}

class ProcessObserver extends FlowObserver {
  readonly #tellPid: (pid: number | null) => void;

  constructor(source: FlowSource, nextLife: () => FlowSource, tellPid: (pid: number | null) => void) {
    super(source, nextLife);
    this.#tellPid = tellPid;
  }

  override spawned(pid: number, command: string): void {
    this.#tellPid(pid);
    super.spawned(pid, command);
  }

  override exited(exitCode: number | null, signal: string | null): void {
    this.#tellPid(null);
    super.exited(exitCode, signal);
  }
}
