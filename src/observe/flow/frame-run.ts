// Frames that were read or written together: their common data once, and the start and end of each. A frame object is
// created when it is read.

import type { Block } from './blocks.ts';
import { CapturedFrame } from './captured-frame.ts';
import type { FlowDirection, HttpPlace } from './event.ts';

/** Approximate memory of a run besides its bytes, and of a frame in it. A block holds a limited number of frames, even short ones. */
const RUN_BYTES = 160;
export const FRAME_BYTES = 40;

export class FrameRun {
  readonly firstSeq: number;
  readonly block: Block;
  count = 0;
  /** Set for a run that is one message over HTTP. */
  http: HttpPlace | undefined;
  readonly #atMs: number;
  readonly #server: string;
  readonly #life: number;
  readonly #direction: FlowDirection;
  /** Start and length of the copied bytes that contain the frames. */
  readonly #start: number;
  readonly #length: number;
  readonly #offset: number | undefined;
  readonly #firstPlace: number;

  constructor(
    firstSeq: number,
    atMs: number,
    server: string,
    life: number,
    direction: FlowDirection,
    block: Block,
    bytes: Uint8Array,
    offset: number | undefined,
  ) {
    this.firstSeq = firstSeq;
    this.#atMs = atMs;
    this.#server = server;
    this.#life = life;
    this.#direction = direction;
    this.block = block;
    this.#firstPlace = block.usedPlaces;
    this.#start = block.copy(bytes);
    this.#length = bytes.length;
    this.#offset = offset;
  }

  get lastSeq(): number {
    return this.firstSeq + this.count - 1;
  }

  /** Offset of the copied bytes in their stream, if known. */
  get offset(): number | undefined {
    return this.#offset;
  }

  /** Approximate memory of the run. */
  get weight(): number {
    return RUN_BYTES + this.#server.length + this.#length + this.count * FRAME_BYTES;
  }

  /** Adds the frame bytes[start, end). Allowed only while nothing else was added to the block and it has space. */
  add(start: number, end: number): void {
    const { block } = this;
    block.places[block.usedPlaces++] = start;
    block.places[block.usedPlaces++] = end;
    this.count++;
  }

  addAll(places: readonly number[]): void {
    const { block } = this;
    block.places.set(places, block.usedPlaces);
    block.usedPlaces += places.length;
    this.count += places.length / 2;
  }

  /** Returns a new object each time, which never changes. */
  frame(seq: number): CapturedFrame {
    const { block } = this;
    const at = this.#firstPlace + 2 * (seq - this.firstSeq);
    const start = block.places[at]!;
    const length = block.places[at + 1]! - start;
    const offset = this.#offset === undefined ? undefined : this.#offset + start;
    return new CapturedFrame(
      seq,
      this.#atMs,
      this.#server,
      this.#life,
      this.#direction,
      block.bytes,
      this.#start + start,
      length,
      offset,
      this.http,
    );
  }
}
