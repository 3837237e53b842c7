// Captured frames: frames that were read or written together share one copy of their bytes and their common data. A frame object is
// created when it is read. Nothing is parsed.

import type { FlowDirection, FrameEvent, HttpPlace } from './event.ts';

/** Approximate memory of a run besides its bytes, and of a frame in it. */
const RUN_BYTES = 160;
export const FRAME_BYTES = 40;

export class FrameRun {
  readonly firstSeq: number;
  readonly atMs: number;
  readonly server: string;
  readonly life: number;
  readonly direction: FlowDirection;
  readonly block: Block;
  /** Start and length of the copied bytes in the block. */
  readonly start: number;
  readonly length: number;
  /** Offset of the copied bytes in their stream, if known. */
  readonly offset: number | undefined;
  /** Set for a run that is one message over HTTP. */
  http: HttpPlace | undefined;
  count = 0;
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
    this.atMs = atMs;
    this.server = server;
    this.life = life;
    this.direction = direction;
    this.block = block;
    block.runs++;
    this.#firstPlace = block.usedPlaces;
    this.start = block.copy(bytes);
    this.length = bytes.length;
    this.offset = offset;
  }

  get lastSeq(): number {
    return this.firstSeq + this.count - 1;
  }

  get weight(): number {
    return RUN_BYTES + this.server.length + this.length + this.count * FRAME_BYTES;
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
    this.block.isRead = true;
    const at = this.#firstPlace + 2 * (seq - this.firstSeq);
    return new CapturedFrame(this, seq, this.block.places[at]!, this.block.places[at + 1]!);
  }
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

  /** `start` and `end` are positions in the bytes of the run. */
  constructor(run: FrameRun, seq: number, start: number, end: number) {
    this.seq = seq;
    this.atMs = run.atMs;
    this.server = run.server;
    this.life = run.life;
    this.direction = run.direction;
    this.length = end - start;
    this.offset = run.offset === undefined ? undefined : run.offset + start;
    this.http = run.http;
    this.#block = run.block.bytes;
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
/** Two entries per frame: start and end. */
const BLOCK_PLACES = 16 * 1024;
/** A longer copy gets its own block, which limits unused space at the end of shared blocks. */
export const LARGEST_SHARED_BYTES = 64 * 1024;

/** A block is filled from the front. It is never overwritten once a frame was handed out: the frame retains it. */
class Block {
  readonly bytes: Uint8Array;
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

  dropped({ block }: FrameRun): void {
    if (--block.runs > 0 || block.isRead || !block.isShared || block === this.#current) return;
    block.usedBytes = 0;
    block.usedPlaces = 0;
    this.#spare = block;
  }
}
