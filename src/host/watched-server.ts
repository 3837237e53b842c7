// What happens to a server, told to the flow: its traffic, process by process, and the changes of its state.

import { FlowObserver } from '../flow/flow-observer.ts';
import type { FlowSource } from '../flow/source.ts';
import type { FlowStore } from '../flow/store.ts';
import type { StateChange } from './server-state.ts';

export class WatchedServer {
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
    return new FlowObserver(this.#source ?? this.#begin(), () => this.#begin());
  }

  #begin(): FlowSource {
    this.#source = this.#flow.begin(this.#server);
    return this.#source;
  }
}
