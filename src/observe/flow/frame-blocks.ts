// The memory of captured frames. Frames that were read or written together (a run) share one copy of their bytes. A frame object is created
// when it is read. Nothing is parsed.

import type { FlowDirection, FrameEvent, HttpPlace } from './event.ts';

/** The common data of the frames of a run. */
interface RunFacts {
  atMs: number;
  server: string;
  life: number;
  direction: FlowDirection;
  /** Offset of the copied bytes in their stream, if known. */
  offset: number | undefined;
  /** Set for a run that is one message over HTTP. */
  http: HttpPlace | undefined;
  /** Start of the copied bytes in the block. */
  start: number;
}

export class CapturedFrame implements FrameEvent {
  readonly kind = 'frame';
  readonly seq: number;
  readonly atMs: number;
  readonly server: string;
  readonly life: number;
  readonly direction: FlowDirection;
  readonly length: number;
  readonly offset: number | undefined;
  readonly http: HttpPlace | undefined;
  readonly #block: Uint8Array;
  readonly #start: number;

  /** `place`: index of the start of the frame in the places of the block. */
  constructor(seq: number, run: RunFacts, block: Block, place: number) {
    const start = block.places[place]!;
    block.isRead = true;
    this.seq = seq;
    this.atMs = run.atMs;
    this.server = run.server;
    this.life = run.life;
    this.direction = run.direction;
    this.length = block.places[place + 1]! - start;
    this.offset = run.offset === undefined ? undefined : run.offset + start;
    this.http = run.http;
    this.#block = block.bytes;
    this.#start = run.start + start;
  }

  /** The payload is block[start, start + length), for readers that do not need a view. */
  get block(): Uint8Array {
    return this.#block;
  }

  get start(): number {
    return this.#start;
  }

  get payload(): Uint8Array {
    return this.#block.subarray(this.#start, this.#start + this.length);
  }
}

const BLOCK_BYTES = 256 * 1024;
const BLOCK_PLACES = 16 * 1024;
/** A longer copy gets its own block, which limits unused space at the end of shared blocks. */
export const LARGEST_SHARED_BYTES = 64 * 1024;

/** A block is filled from the front. It is never overwritten once a frame was handed out: the frame retains it. */
export class Block {
  readonly bytes: Uint8Array;
  /** Start and end of each frame in the bytes of its run. */
  readonly places: Uint32Array;
  readonly isShared: boolean;
  /** Number of runs in the block that are not dropped. */
  runs = 0;
  /** True after a frame of the block was handed out. */
  isRead = false;
  usedBytes = 0;
  usedPlaces = 0;

  constructor(bytes: number, places: number, isShared: boolean) {
    this.bytes = new Uint8Array(bytes);
    this.places = new Uint32Array(places);
    this.isShared = isShared;
  }

  hasRoom(bytes: number, places: number): boolean {
    return this.usedBytes + bytes <= this.bytes.length && this.usedPlaces + places <= this.places.length;
  }

  copy(bytes: Uint8Array): number {
    const start = this.usedBytes;
    this.bytes.set(bytes, start);
    this.usedBytes += bytes.length;
    return start;
  }
}

/** Frames share blocks, because an object for each frame would slow down a busy pipe. */
export class Blocks {
  #current: Block | undefined;
  /** A dropped block to fill again: new blocks of a busy pipe cause full garbage collections. */
  #spare: Block | undefined;

  withRoom(bytes: number, frames: number): Block {
    const places = frames * 2;
    if (bytes > LARGEST_SHARED_BYTES || places > BLOCK_PLACES) return new Block(bytes, places, false);
    if (!this.#current?.hasRoom(bytes, places)) {
      this.#current = this.#spare ?? new Block(BLOCK_BYTES, BLOCK_PLACES, true);
      this.#spare = undefined;
    }
    return this.#current;
  }

  /** Must be called for each run of a block that was dropped. */
  dropped(block: Block): void {
    if (--block.runs > 0 || block.isRead || !block.isShared || block === this.#current) return;
    block.usedBytes = 0;
    block.usedPlaces = 0;
    this.#spare = block;
  }
}
