// Lines to be written to a file, as contiguous bytes. Two buffers alternate: while one is written, the other is filled.
// A line is added as text, or piece by piece without intermediate strings: on a busy pipe, temporary strings cost more
// than everything else.

const LF = 0x0a;
const QUOTE = 0x22;
const ZERO = 0x30;
const BACKSLASH = 0x5c;
const FIRST_BYTES = 256 * 1024;
const PLAIN = 0;
const NEEDS_BACKSLASH = 1;
const NOT_PRINTABLE = 2;
const kinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte < 0x20 || byte > 0x7e) return NOT_PRINTABLE;
  return byte === QUOTE || byte === BACKSLASH ? NEEDS_BACKSLASH : PLAIN;
});

/** A buffer that a long line made larger than this is not kept. */
const LARGEST_KEPT_BYTES = 4 * 1024 * 1024;
const MAX_BYTES_PER_CHAR = 3;

export class LineBuffer {
  #buffer = Buffer.allocUnsafeSlow(0);
  #spare = Buffer.allocUnsafeSlow(0);
  #used = 0;
  #lineStart = 0;
  #lines = 0;

  get usedBytes(): number {
    return this.#used;
  }

  get lines(): number {
    return this.#lines;
  }

  add(line: string): void {
    const most = this.#used + line.length * MAX_BYTES_PER_CHAR + 1;
    if (most > this.#buffer.length) this.#grow(most);
    this.#used += this.#buffer.write(line, this.#used);
    this.#buffer[this.#used++] = LF;
    this.#lines++;
  }

  /** Begins a line of at most `mostBytes` bytes. The following calls write it and `endLine` ends it. */
  beginLine(mostBytes: number): void {
    if (this.#used + mostBytes + 1 > this.#buffer.length) this.#grow(this.#used + mostBytes + 1);
    this.#lineStart = this.#used;
  }

  endLine(): void {
    this.#buffer[this.#used++] = LF;
    this.#lines++;
  }

  dropLine(): void {
    this.#used = this.#lineStart;
  }

  bytes(bytes: Uint8Array): void {
    this.#buffer.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  /** Writes a non-negative integer. */
  number(value: number): void {
    const first = this.#used;
    let left = value;
    let at = first + digitsOf(value);
    this.#used = at;
    while (at > first) {
      const rest = Math.floor(left / 10);
      this.#buffer[--at] = ZERO + left - rest * 10;
      left = rest;
    }
  }

  /**
   * Writes bytes[start, end) as the inside of a JSON string. Returns false if a byte is not printable ASCII; the caller
   * must then drop the line.
   */
  escaped(bytes: Uint8Array, start: number, end: number): boolean {
    const buffer = this.#buffer;
    let at = this.#used;
    for (let i = start; i < end; i++) {
      const byte = bytes[i]!;
      const kind = kinds[byte];
      if (kind !== PLAIN) {
        if (kind === NOT_PRINTABLE) return false;
        buffer[at++] = BACKSLASH;
      }
      buffer[at++] = byte;
    }
    this.#used = at;
    return true;
  }

  /** Returns everything added since the last call. Valid until the next but one call. */
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

function digitsOf(value: number): number {
  let digits = 1;
  for (let limit = 10; limit <= value; limit *= 10) digits++;
  return digits;
}
