// Memory for what passes: copies of the bytes, and where in them each frame begins and ends. A block is filled from the
// front and never written over, so that a frame that was handed out stays as it is. It is freed when nothing
// refers to a frame in it any more. Many frames share one: an object for each would slow down a busy pipe.

const BLOCK_BYTES = 256 * 1024;
/** A start and an end for each frame. */
const BLOCK_PLACES = 16 * 1024;
/** A longer copy gets a block of its own, so that little is left empty at the end of one. */
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

  /** Returns where the copy begins. */
  copy(bytes: Uint8Array): number {
    const start = this.usedBytes;
    this.bytes.set(bytes, start);
    this.usedBytes += bytes.length;
    return start;
  }
}

export class Blocks {
  #current: Block | undefined;

  /** A block with room for so many bytes and so many frames. */
  withRoom(bytes: number, frames: number): Block {
    const places = frames * 2;
    if (bytes > LARGEST_SHARED_BYTES || places > BLOCK_PLACES) return new Block(bytes, places);
    if (!this.#current?.hasRoom(bytes, places)) this.#current = new Block(BLOCK_BYTES, BLOCK_PLACES);
    return this.#current;
  }
}
