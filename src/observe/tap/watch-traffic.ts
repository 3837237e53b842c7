// Decodes the forwarded chunks and reports their frames to the flow. It is not part of the forwarding: it cannot delay, change or
// stop the traffic. An error is reported once.

import { toError } from '../../base/errors.ts';
import type { FrameDecoder, FrameFault, FrameSink, Framing } from '../../wire/framing/framing.ts';
import { CUT_TAIL_BYTES } from '../flow/cut-frame.ts';
import type { ServerDirection } from '../flow/event.ts';
import type { FlowSource } from '../flow/source.ts';

export interface WatchOptions {
  framing: Framing;
  /** Of a longer frame, only its two ends and its length are reported. */
  keepFrameBytes: number;
  onFailure(error: Error): void;
}

export class TrafficWatch {
  readonly #source: FlowSource;
  readonly #options: WatchOptions;
  readonly #ways: Record<ServerDirection, OneWay>;
  #failed = false;

  constructor(source: FlowSource, options: WatchOptions) {
    this.#source = source;
    this.#options = options;
    const { framing, keepFrameBytes } = options;
    const oneWay = (direction: ServerDirection) =>
      new OneWay(source, direction, framing.decoder({ maxFrameBytes: keepFrameBytes }));
    this.#ways = { toServer: oneWay('toServer'), fromServer: oneWay('fromServer') };
  }

  chunk(direction: ServerDirection, chunk: Uint8Array): void {
    try {
      this.#ways[direction].push(chunk);
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  end(direction: ServerDirection): void {
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
  readonly #direction: ServerDirection;
  readonly #decoder: FrameDecoder;
  /** The current chunk, and its offset in the stream. */
  #chunk: Uint8Array = nothing;
  #chunkOffset = 0;
  /** Previous chunks, as many as the end of a frame may need, and their total size. */
  readonly #before: Uint8Array[] = [];
  #beforeBytes = 0;

  constructor(source: FlowSource, direction: ServerDirection, decoder: FrameDecoder) {
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
    // The frame was forwarded but is too long to store.
    if (fault.code === 'FRAME_TOO_LONG') this.#source.cutFrame(this.#direction, fault, this.#tail(fault));
    else this.#source.badFrame(this.#direction, fault);
  }

  /** The last bytes of a frame that was not stored, taken from the previous chunks. */
  #tail({ offset, length }: FrameFault): Uint8Array {
    const end = offset + length - this.#chunkOffset;
    if (end > this.#chunk.length) return nothing; // announced by the length, not arrived yet
    if (end >= CUT_TAIL_BYTES) return this.#chunk.subarray(end - CUT_TAIL_BYTES, end);
    const both = Buffer.concat([...this.#before, this.#chunk]);
    return both.subarray(0, Math.max(0, both.length - this.#chunk.length + end));
  }
}
