// The first bytes that a child wrote, and how many there were in all: what a diagnosis of a failed start looks at.

const MAX_BYTES = 8 * 1024;

export class OutputHead {
  /** How many bytes came. */
  total = 0;
  readonly #chunks: Uint8Array[] = [];

  add(chunk: Uint8Array): void {
    if (this.total < MAX_BYTES) this.#chunks.push(chunk.slice(0, MAX_BYTES - this.total));
    this.total += chunk.length;
  }

  get bytes(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }
}
