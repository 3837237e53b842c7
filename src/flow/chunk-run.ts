// The frames of one chunk, one after the other: where each begins and ends, and all that they have in common once. On a
// busy pipe an object a frame, kept for a while, costs the collector more than all the rest of the capture; here a frame
// becomes an object when somebody looks at it.

import { CapturedBytes } from './captured-frame.ts';
import type { FlowDirection } from './event.ts';

/** About what a frame costs here beside its bytes. */
export const PLACE_BYTES = 16;

export class ChunkRun {
  readonly firstSeq: number;
  readonly chunk: Uint8Array;
  readonly #atMs: number;
  readonly #server: string;
  readonly #life: number;
  readonly #direction: FlowDirection;
  /** The place of the chunk in its stream. */
  readonly #chunkOffset: number;
  /** Beginning and end of each frame. */
  readonly #places: number[] = [];

  constructor(
    firstSeq: number,
    atMs: number,
    server: string,
    life: number,
    direction: FlowDirection,
    chunk: Uint8Array,
    chunkOffset: number,
  ) {
    this.firstSeq = firstSeq;
    this.#atMs = atMs;
    this.#server = server;
    this.#life = life;
    this.#direction = direction;
    this.chunk = chunk;
    this.#chunkOffset = chunkOffset;
  }

  get count(): number {
    return this.#places.length / 2;
  }

  add(start: number, end: number): void {
    this.#places.push(start, end);
  }

  /** A new object every time. */
  frame(seq: number): CapturedBytes {
    const at = (seq - this.firstSeq) * 2;
    const start = this.#places[at]!;
    const length = this.#places[at + 1]! - start;
    const offset = this.#chunkOffset + start;
    return new CapturedBytes(
      seq,
      this.#atMs,
      this.#server,
      this.#life,
      this.#direction,
      this.chunk,
      start,
      length,
      offset,
    );
  }
}
