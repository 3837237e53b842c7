// A ring buffer with the latest bytes of a child's stderr, as evidence for errors. It is unaware of lines and log levels: output on stderr
// is not an error.

const defaultCapacityBytes = 64 * 1024;
const defaultTailBytes = 4096;

export class StderrRing {
  readonly #capacity: number;
  #buffer: Buffer | undefined; // allocated with the first byte, because most servers write nothing
  #next = 0;
  #total = 0;

  constructor(capacityBytes = defaultCapacityBytes) {
    this.#capacity = capacityBytes;
  }

  get totalBytes(): number {
    return this.#total;
  }

  get droppedBytes(): number {
    return Math.max(0, this.#total - this.#capacity);
  }

  append(chunk: Uint8Array): void {
    this.#total += chunk.length;
    if (chunk.length === 0 || this.#capacity === 0) return;
    this.#buffer ??= Buffer.allocUnsafeSlow(this.#capacity);
    const kept = chunk.length > this.#capacity ? chunk.subarray(chunk.length - this.#capacity) : chunk;
    const untilEnd = Math.min(kept.length, this.#capacity - this.#next);
    this.#buffer.set(kept.subarray(0, untilEnd), this.#next);
    this.#buffer.set(kept.subarray(untilEnd), 0);
    this.#next = (this.#next + kept.length) % this.#capacity;
  }

  /** The latest bytes as text. A character that is cut off at either end is dropped. */
  tail(maxBytes = defaultTailBytes): string {
    const bytes = this.#newest(Math.min(maxBytes, this.#total, this.#capacity));
    const start = bytes.length < this.#total ? firstWholeCharacter(bytes) : 0;
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start), { stream: true });
  }

  #newest(length: number): Uint8Array {
    if (!this.#buffer || length <= 0) return new Uint8Array();
    const start = (this.#next - length + this.#capacity) % this.#capacity;
    const untilEnd = Math.min(length, this.#capacity - start);
    return Buffer.concat([this.#buffer.subarray(start, start + untilEnd), this.#buffer.subarray(0, length - untilEnd)]);
  }
}

function firstWholeCharacter(bytes: Uint8Array): number {
  let start = 0;
  // UTF-8 continues a character with at most three bytes of the form 10xxxxxx.
  while (start < 3 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start += 1;
  return start;
}
