// Memory for captured frames: copies of the bytes, and the start and end of each frame in them. A block is filled from
// the front and never overwritten, so a frame that was handed out stays unchanged. A block is freed when nothing refers
// to its frames any more. Frames share blocks, because an object for each would slow down a busy pipe.

const BLOCK_BYTES = 256 * 1024;
/** Two entries per frame: start and end. */
const BLOCK_PLACES = 16 * 1024;
/** A longer copy gets its own block, which limits unused space at the end of shared blocks. */
export const LARGEST_SHARED_BYTES = 64 * 1024;

export class Block {
  readonly bytes: Uint8Array;
  readonly places: Uint32Array;
  usedBytes = 0;
  usedPlaces = 0;

  constructor(bytes: number, places: number) {
    this.bytes = new Uint8Array(bytes);
    this.places = new Uint32Array(places);
  }

  hasRoom(bytes: number, places: number): boolean {
    return this.usedBytes + bytes <= this.bytes.length && this.usedPlaces + places <= this.places.length;
  }

  /** Returns the start of the copy. */
  copy(bytes: Uint8Array): number {
    const start = this.usedBytes;
    this.bytes.set(bytes, start);
    this.usedBytes += bytes.length;
    return start;
  }
}

export class Blocks {
  #current: Block | undefined;

  /** A block with space for this many bytes and frames. */
  withRoom(bytes: number, frames: number): Block {
    const places = frames * 2;
    if (bytes > LARGEST_SHARED_BYTES || places > BLOCK_PLACES) return new Block(bytes, places);
    if (!this.#current?.hasRoom(bytes, places)) this.#current = new Block(BLOCK_BYTES, BLOCK_PLACES);
    return this.#current;
  }
}
