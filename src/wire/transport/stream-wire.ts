// A wire over any pair of byte streams: a socket, a pipe opened by the caller, or the two ends of a test.

import type { Readable, Writable } from 'node:stream';
import type { WireEvents, WireOptions } from '../wire.ts';
import { ByteWire } from './byte-wire.ts';

/** How long a peer that does not read can delay `close`. */
const FLUSH_WAIT_MS = 1_000;

export class StreamWire extends ByteWire {
  #input: Readable;
  #output: Writable;

  constructor(input: Readable, output: Writable, options: WireOptions = {}) {
    super(options);
    this.#input = input;
    this.#output = output;
  }

  async start(events: WireEvents): Promise<void> {
    this.begin(events);
    this.attach(this.#input, this.#output, (error) => this.#end(error));
    // The input was destroyed before its end. After a normal end, received data may still be queued.
    this.#input.once('close', () => {
      if (!this.#input.readableEnded) this.#end();
    });
  }

  /** Data that the other end has already written is still read. */
  protected override writeFailed(error: Error): void {
    void this.lastInput(this.#input).then(() => this.#end(error));
  }

  /** Writes the sent data, then closes both streams. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.phase = 'closing';
    await this.flush(FLUSH_WAIT_MS);
    this.#end();
  }

  #end(error?: Error): void {
    if (this.closed) return;
    this.finish(error);
    if (!this.#output.destroyed) this.#output.end();
    if (this.#input !== (this.#output as unknown)) this.#input.destroy();
    else this.#input.resume(); // discard the rest, so that the other end can finish writing
  }
}
