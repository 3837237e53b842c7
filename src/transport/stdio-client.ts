// A server as a child process, spoken to over its stdin and stdout. A drop-in for the official transport of this name.

import type { Readable } from 'node:stream';
import type { StopRung } from '../process/stop-ladder.ts';
import { type ChildOptions, ChildWire } from './child-wire.ts';
import { MessageTransport } from './message-transport.ts';

export type StdioClientOptions = ChildOptions;

export class StdioClientTransport extends MessageTransport {
  readonly #wire: ChildWire;

  constructor(options: StdioClientOptions) {
    const wire = new ChildWire(options);
    super(wire, { ...options, toleratesNoise: true });
    this.#wire = wire;
  }

  get pid(): number | null {
    return this.#wire.pid;
  }

  /** The child's stderr, where it was asked for with `stderr: 'pipe'`. */
  get stderr(): Readable | null {
    return this.#wire.stderr;
  }

  /** What it took to stop the child, once it has stopped: `stdin` means that it left politely. */
  get stopRung(): StopRung | undefined {
    return this.#wire.stopRung;
  }
}
