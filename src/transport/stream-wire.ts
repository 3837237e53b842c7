// A wire over any pair of byte streams: a socket, a pipe that the caller opened, the two ends of a test.

import type { Readable, Writable } from 'node:stream';
import { ByteWire } from './byte-wire.ts';
import type { WireEvents, WireOptions } from './wire.ts';

/** How long an end that does not read can hold up our close. */
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
    // Destroyed before its end. After its end, what was read may still wait for its turn.
    this.#input.once('close', () => {
      if (!this.#input.readableEnded) this.#end();
    });
  }

  /** What the other end has written before is still read. */
  protected override writeFailed(error: Error): void {
    void this.lastInput(this.#input).then(() => this.#end(error));
  }

  /** What was sent goes out, then both streams are closed. */
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
    else this.#input.resume(); // the rest is not for us, but the other end must be able to finish
  }
}
