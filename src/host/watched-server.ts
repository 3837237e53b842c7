// What happens to a server, told to the flow: its traffic, process by process, and the changes of its state. It also knows
// which process lives, from its start on.

import { FlowObserver } from '../flow/flow-observer.ts';
import type { FlowSource } from '../flow/source.ts';
import type { FlowStore } from '../flow/store.ts';
import type { StateChange } from './server-state.ts';

export class WatchedServer {
  /** Of the process that lives. */
  pid: number | null = null;
  readonly #flow: FlowStore;
  readonly #server: string;
  #source: FlowSource | undefined;

  constructor(flow: FlowStore, server: string) {
    this.#flow = flow;
    this.#server = server;
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
    this.#source = this.#flow.begin(this.#server);
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
