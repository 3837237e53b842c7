// Frames that came or went together: all that they have in common once, and where each begins and ends. A frame becomes
// an object when it is read.

import type { Block } from './blocks.ts';
import { CapturedFrame } from './captured-frame.ts';
import type { FlowDirection, HttpPlace } from './event.ts';

/** About what a run costs beside its bytes, and a frame in it: a block has no room for more of them, however short they are. */
const RUN_BYTES = 160;
export const FRAME_BYTES = 40;

export class FrameRun {
  readonly firstSeq: number;
  readonly block: Block;
  count = 0;
  /** Of a run that is one message over HTTP. */
  http: HttpPlace | undefined;
  readonly #atMs: number;
  readonly #server: string;
  readonly #life: number;
  readonly #direction: FlowDirection;
  /** The frames lie in a copy of so many bytes, from there on. */
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

  /** The place of the copied bytes in their stream, where that is known. */
  get offset(): number | undefined {
    return this.#offset;
  }

  /** What it holds in memory, about. */
  get weight(): number {
    return RUN_BYTES + this.#server.length + this.#length + this.count * FRAME_BYTES;
  }

  /** The next frame is bytes[start, end). Only while nothing else was put into the block, and has room there. */
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

  /** A new object every time, which stays as it is. */
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
