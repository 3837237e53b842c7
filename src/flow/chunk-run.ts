// Frames that came or went together: where each begins and ends, and all that they have in common once. On a busy pipe an
// object a frame, kept for a while, costs the collector more than all the rest of the capture; here a frame becomes an
// object when somebody looks at it.

import { CapturedFrame } from './captured-frame.ts';
import type { FlowDirection } from './event.ts';

/** About what a frame costs here beside its bytes. */
export const PLACE_BYTES = 16;

/** What the frames of a run have in common. */
export interface RunFacts {
  firstSeq: number;
  atMs: number;
  server: string;
  life: number;
  direction: FlowDirection;
  /** The bytes of them all. */
  chunk: Uint8Array;
  /** The place of the chunk in its stream, where that is known. */
  chunkOffset: number | undefined;
}

export class ChunkRun {
  readonly facts: RunFacts;
  /** Beginning and end of each frame. */
  readonly places: number[];

  constructor(facts: RunFacts, places: number[]) {
    this.facts = facts;
    this.places = places;
  }

  get firstSeq(): number {
    return this.facts.firstSeq;
  }

  get count(): number {
    return this.places.length / 2;
  }

  /** What the frames share, in memory. */
  get chunkBytes(): number {
    return this.facts.chunk.buffer.byteLength;
  }

  /** A new object every time. */
  frame(seq: number): CapturedFrame {
    const { atMs, server, life, direction, chunk, chunkOffset } = this.facts;
    const at = (seq - this.firstSeq) * 2;
    const start = this.places[at]!;
    const length = this.places[at + 1]! - start;
    const offset = chunkOffset === undefined ? undefined : chunkOffset + start;
    return new CapturedFrame(seq, atMs, server, life, direction, chunk, start, length, offset);
  }
}
