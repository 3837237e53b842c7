// What happens to a server, told to the flow: its traffic, process by process, and the changes of its state.

import { observeWire } from '../flow/observe-wire.ts';
import type { FlowSource } from '../flow/source.ts';
import type { FlowStore } from '../flow/store.ts';
import type { WireObserver } from '../transport/wire.ts';
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
    if (to === 'starting') this.#source = this.#flow.begin(this.#server);
    this.#source?.add({ kind: 'state', from, to, reason });
  }

  /** For one start. A question for the era can cost a process: the next one is another life. */
  observer(): WireObserver {
    let spawned = false;
    let wire = observeWire(this.#flow, this.#server, this.#source);
    return {
      spawned: (pid, command) => {
        if (spawned) {
          this.#source = this.#flow.begin(this.#server);
          wire = observeWire(this.#flow, this.#server, this.#source);
        }
        spawned = true;
        wire.spawned?.(pid, command);
      },
      sent: (text) => wire.sent?.(text),
      received: (bytes, offset) => wire.received?.(bytes, offset),
      fault: (fault) => wire.fault?.(fault),
      stderr: (chunk) => wire.stderr?.(chunk),
      exited: (exitCode, signal) => wire.exited?.(exitCode, signal),
      stopped: (rung) => wire.stopped?.(rung),
    };
  }
}
