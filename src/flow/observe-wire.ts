// Connects a wire to a store: what the wire sees becomes events of one life of the server.

import type { WireObserver } from '../transport/wire.ts';
import type { FlowStore } from './store.ts';

/** To be made once for every wire: a wire is one process, and begins a life unless it is given one. */
export function observeWire(store: FlowStore, server: string, source = store.begin(server)): WireObserver {
  return {
    spawned: (pid, command) => source.add({ kind: 'spawn', pid, command }),
    sent: (text) => source.text('toServer', text),
    received: (bytes, offset) => source.frame('fromServer', bytes, offset),
    fault: (fault) => source.fault('fromServer', fault),
    stderr: (chunk) => source.stderr(chunk),
    exited(exitCode, signal) {
      source.endStderr();
      source.add({ kind: 'exit', exitCode, signal });
    },
    stopped(rung) {
      source.endStderr();
      source.add({ kind: 'stop', rung });
    },
  };
}
