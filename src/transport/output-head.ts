// The first bytes that a child wrote, and how many there were in all: what a diagnosis of a failed start looks at. They are
// copied, so that no chunk stays in memory for the sake of its start.

const MAX_BYTES = 8 * 1024;

export class OutputHead {
  /** How many bytes came. */
  total = 0;
  #buffer: Buffer | undefined; // allocated with the first byte

  add(chunk: Uint8Array): void {
    if (this.total < MAX_BYTES) {
      this.#buffer ??= Buffer.allocUnsafeSlow(MAX_BYTES);
      this.#buffer.set(chunk.subarray(0, MAX_BYTES - this.total), this.total);
    }
    this.total += chunk.length;
  }

  get bytes(): Uint8Array {
    return this.#buffer?.subarray(0, this.total) ?? new Uint8Array();
  }
}
