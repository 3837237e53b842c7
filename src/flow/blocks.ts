// Memory for what passes: copies of the bytes, and where in them each frame begins and ends. A block is filled from the
// front and used again when everything in it was dropped, unless somebody has looked into it and may still do so: fresh
// memory for all that passes, and objects for the collector to follow, would cost a busy pipe a good part of its speed.

const BLOCK_BYTES = 256 * 1024;
/** A start and an end for each frame. */
const BLOCK_PLACES = 16 * 1024;
/** A longer copy gets a block of its own, so that little is left empty at the end of one. */
export const LARGEST_SHARED_BYTES = 64 * 1024;
const MOST_SPARE_BLOCKS = 8;

export class Block {
  readonly bytes: Uint8Array;
  readonly places: Uint32Array;
  /** Somebody has seen what is in it: it will never hold anything else. */
  shown = false;
  /** How many hold something in it. */
  holders = 0;
  usedBytes = 0;
  usedPlaces = 0;
  /** Of the size that all shared blocks have. One that was made for a single copy may have as many bytes, and is none. */
  readonly isShared: boolean;

  constructor(bytes: number, places: number, isShared: boolean) {
    this.isShared = isShared;
    this.bytes = new Uint8Array(bytes);
    this.places = new Uint32Array(places);
  }

  hasRoom(bytes: number, places: number): boolean {
    return this.usedBytes + bytes <= this.bytes.length && this.usedPlaces + places <= this.places.length;
  }

  /** Returns where the copy begins. */
  copy(bytes: Uint8Array): number {
    const start = this.usedBytes;
    this.bytes.set(bytes, start);
    this.usedBytes += bytes.length;
    return start;
  }

  empty(): void {
    this.usedBytes = 0;
    this.usedPlaces = 0;
  }
}

export class Blocks {
  #current: Block | undefined;
  readonly #spare: Block[] = [];

  /** A block with room for so many bytes and so many frames. Whoever puts something into it holds it until that is dropped. */
  hold(bytes: number, frames: number): Block {
    const isShared = bytes <= LARGEST_SHARED_BYTES && frames * 2 <= BLOCK_PLACES;
    const block = isShared ? this.#withRoom(bytes, frames * 2) : new Block(bytes, frames * 2, false);
    block.holders++;
    return block;
  }

  release(block: Block): void {
    block.holders--;
    if (block.holders > 0 || block.shown || !block.isShared) return;
    block.empty();
    if (this.#spare.length < MOST_SPARE_BLOCKS) this.#spare.push(block);
  }

  /** The current block is held by being that. */
  #withRoom(bytes: number, places: number): Block {
    if (this.#current?.hasRoom(bytes, places)) return this.#current;
    if (this.#current) this.release(this.#current);
    this.#current = this.#spare.pop() ?? new Block(BLOCK_BYTES, BLOCK_PLACES, true);
    this.#current.holders++;
    return this.#current;
  }
}
