// Looks at the chunks that went by and tells the flow which frames were in them. Beside the path: nothing here can delay,
// change or stop the traffic. What goes wrong is told once.

import { toError } from '../base/errors.ts';
import { CUT_TAIL_BYTES } from '../flow/cut-frame.ts';
import type { FlowDirection } from '../flow/event.ts';
import type { FlowSource } from '../flow/source.ts';
import type { FrameDecoder, FrameFault, FrameSink, Framing } from '../framing/framing.ts';

export interface WatchOptions {
  framing: Framing;
  /** A longer frame is told by its ends and its length. */
  keepFrameBytes: number;
  onFailure(error: Error): void;
}

export class TrafficWatch {
  readonly #source: FlowSource;
  readonly #options: WatchOptions;
  readonly #ways: Record<FlowDirection, OneWay>;
  #failed = false;

  constructor(source: FlowSource, options: WatchOptions) {
    this.#source = source;
    this.#options = options;
    const { framing, keepFrameBytes } = options;
    const oneWay = (direction: FlowDirection) =>
      new OneWay(source, direction, framing.decoder({ maxFrameBytes: keepFrameBytes }));
    this.#ways = { toServer: oneWay('toServer'), fromServer: oneWay('fromServer') };
  }

  chunk(direction: FlowDirection, chunk: Uint8Array): void {
    try {
      this.#ways[direction].push(chunk);
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** Nothing more goes that way. */
  end(direction: FlowDirection): void {
    try {
      this.#ways[direction].end();
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  stderr(chunk: Uint8Array): void {
    try {
      this.#source.stderr(chunk);
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #fail(thrown: unknown): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#options.onFailure(toError(thrown));
  }
}

const nothing = new Uint8Array(0);

class OneWay implements FrameSink {
  readonly #source: FlowSource;
  readonly #direction: FlowDirection;
  readonly #decoder: FrameDecoder;
  /** The chunk being looked at, and its place in the stream. */
  #chunk: Uint8Array = nothing;
  #chunkOffset = 0;
  /** The chunks before it, as many as the end of a frame may take, and their bytes in all. */
  readonly #before: Uint8Array[] = [];
  #beforeBytes = 0;

  constructor(source: FlowSource, direction: FlowDirection, decoder: FrameDecoder) {
    this.#source = source;
    this.#direction = direction;
    this.#decoder = decoder;
  }

  push(chunk: Uint8Array): void {
    this.#remember(this.#chunk);
    this.#chunkOffset += this.#chunk.length;
    this.#chunk = chunk;
    this.#decoder.push(chunk, this);
  }

  end(): void {
    this.#decoder.end(this);
  }

  #remember(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#before.push(chunk);
    this.#beforeBytes += chunk.length;
    for (let first = this.#before[0]!; this.#beforeBytes - first.length >= CUT_TAIL_BYTES; first = this.#before[0]!) {
      this.#before.shift();
      this.#beforeBytes -= first.length;
    }
  }

  frame(bytes: Uint8Array, offset: number): void {
    this.#source.frame(this.#direction, bytes, offset);
  }

  span(chunk: Uint8Array, start: number, end: number, offset: number): void {
    this.#source.span(this.#direction, chunk, start, end, offset);
  }

  fault(fault: FrameFault): void {
    // Too long for us, not for those who talk.
    if (fault.code === 'FRAME_TOO_LONG') this.#source.cutFrame(this.#direction, fault, this.#tail(fault));
    else this.#source.badFrame(this.#direction, fault);
  }

  /** The last bytes of a frame that was not kept: they went by a moment ago. */
  #tail({ offset, length }: FrameFault): Uint8Array {
    const end = offset + length - this.#chunkOffset;
    if (end > this.#chunk.length) return nothing; // announced, and still to come
    if (end >= CUT_TAIL_BYTES) return this.#chunk.subarray(end - CUT_TAIL_BYTES, end);
    const both = Buffer.concat([...this.#before, this.#chunk]);
    return both.subarray(0, Math.max(0, both.length - this.#chunk.length + end));
  }
}
