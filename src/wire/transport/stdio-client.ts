// Client transport for a server that runs as a child process, over its stdin and stdout. A drop-in for the official
// transport of this name.

import type { Readable } from 'node:stream';
import { MessageTransport } from '../jsonrpc/message-transport.ts';
import type { StopRung } from '../process/tree/stop-ladder.ts';
import { type ChildOptions, ChildWire } from './child-wire.ts';

export interface StdioClientOptions extends ChildOptions {
  /** The official transport's name for `maxFrameBytes`. */
  maxBufferSize?: number | undefined;
}

export class StdioClientTransport extends MessageTransport {
  readonly #wire: ChildWire;
  /**
   * The official client's `auto` mode creates a second process from these parameters to probe the server's revision,
   * because the server may exit at the probe. It ends that process with `_dispose`. Not enumerable: `env` must not get
   * into logs.
   * @internal
   */
  declare readonly _serverParams: StdioClientOptions;

  constructor(given: StdioClientOptions) {
    const options = { ...given, maxFrameBytes: given.maxFrameBytes ?? given.maxBufferSize };
    const wire = new ChildWire(options);
    super(wire, { ...options, toleratesNoise: true });
    this.#wire = wire;
    const value: StdioClientOptions = { ...given, observer: undefined }; // an observer handles one process
    Object.defineProperty(this, '_serverParams', { value });
  }

  /** @internal */
  _dispose(): Promise<void> {
    return this.close();
  }

  /** The pid of the child; null before the start and once the process has ended. */
  get pid(): number | null {
    return this.#wire.pid;
  }

  /** The child's stderr if the option `stderr` is 'pipe'. */
  get stderr(): Readable | null {
    return this.#wire.stderr;
  }

  /** The stop rung that ended the child. `stdin` means that it exited at the end of its input. */
  get stopRung(): StopRung | undefined {
    return this.#wire.stopRung;
  }
}
