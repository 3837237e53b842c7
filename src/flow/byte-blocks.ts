// Copies of many small byte strings, packed into few large blocks: a typed array of its own costs a microsecond and more
// memory than a short message has. Made for a queue: a block is freed when the last copy in it is let go.

import { copy } from './cut-frame.ts';

const BLOCK_BYTES = 64 * 1024;
/** Above this a copy gets memory of its own, so that it does not keep its neighbours alive. */
const LARGEST_PACKED_BYTES = 8 * 1024;

export class ByteBlocks {
  /** Where the last copy went: `block` from `start`. Read them before the next copy. */
  block: Uint8Array = new Uint8Array(0);
  start = 0;
  #current = new Uint8Array(0);
  #used = 0;

  copy(bytes: Uint8Array): void {
    if (bytes.length > LARGEST_PACKED_BYTES) {
      this.block = copy(bytes);
      this.start = 0;
      return;
    }
    if (this.#used + bytes.length > this.#current.length) {
      this.#current = new Uint8Array(BLOCK_BYTES);
      this.#used = 0;
    }
    this.#current.set(bytes, this.#used);
    this.block = this.#current;
    this.start = this.#used;
    this.#used += bytes.length;
  }
}
