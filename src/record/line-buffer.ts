// Lines on their way to a file, as bytes in one piece. Two buffers take turns: while one is written, the other is filled.

const FIRST_BYTES = 256 * 1024;
/** A buffer that one long line made larger than this is not kept. */
const LARGEST_KEPT_BYTES = 4 * 1024 * 1024;
/** The longest UTF-8 for one unit of a string. */
const MAX_BYTES_PER_CHAR = 3;

export class LineBuffer {
  #buffer = Buffer.allocUnsafeSlow(0);
  #spare = Buffer.allocUnsafeSlow(0);
  #used = 0;
  #lines = 0;

  get bytes(): number {
    return this.#used;
  }

  get lines(): number {
    return this.#lines;
  }

  add(line: string): void {
    const most = this.#used + line.length * MAX_BYTES_PER_CHAR + 1;
    if (most > this.#buffer.length) this.#grow(most);
    this.#used += this.#buffer.write(line, this.#used);
    this.#buffer[this.#used++] = 0x0a;
    this.#lines++;
  }

  /** All that was added since the last time. Valid until the next but one call. */
  take(): Buffer {
    const taken = this.#buffer;
    const bytes = taken.subarray(0, this.#used);
    this.#buffer = this.#spare;
    this.#spare = taken.length > LARGEST_KEPT_BYTES ? Buffer.allocUnsafeSlow(0) : taken;
    this.#used = 0;
    this.#lines = 0;
    return bytes;
  }

  #grow(most: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, most, Math.min(this.#buffer.length * 2, most * 2)));
    this.#buffer.copy(larger, 0, 0, this.#used);
    this.#buffer = larger;
  }
}
