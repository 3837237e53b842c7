// A transport over any pair of byte streams: a socket, a pipe that somebody else opened, the two ends of a test.

import type { Duplex, Readable, Writable } from 'node:stream';
import { ByteTransport } from './byte-transport.ts';
import type { TransportOptions } from './transport.ts';

/** How long an end that does not read can hold up our close. */
const FLUSH_WAIT_MS = 1_000;

export interface StreamTransportOptions extends TransportOptions {
  input: Readable;
  output: Writable;
}

export class StreamTransport extends ByteTransport {
  #input: Readable;
  #output: Writable;

  constructor(options: StreamTransportOptions) {
    super(options, false);
    this.#input = options.input;
    this.#output = options.output;
  }

  /** Over a socket or any other stream that goes both ways. */
  static over(stream: Duplex, options: TransportOptions = {}): StreamTransport {
    return new StreamTransport({ ...options, input: stream, output: stream });
  }

  async start(): Promise<void> {
    this.claimStart();
    this.attach(this.#input, this.#output, (error) => this.#ended(error));
    this.#input.once('close', () => this.#ended());
  }

  /** What was sent goes out, then both streams are closed. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.phase = 'closing';
    await this.flush(FLUSH_WAIT_MS);
    this.#ended();
  }

  #ended(error?: Error): void {
    if (this.closed) return;
    this.finish(error);
    this.#output.end();
    if (this.#input !== (this.#output as unknown)) this.#input.destroy();
    else this.#input.resume();
  }
}
