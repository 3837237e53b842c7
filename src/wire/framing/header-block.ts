// The header lines before one body: the length they announce, and a prefix of their bytes to report if the block is
// bad. Memory is bounded by the prefix, however many lines arrive. Must not know about chunks or bodies.

import { type FrameFaultCode, type FrameSink, PREFIX_BYTES } from './framing.ts';

/** A block with more lines is bad, whatever they contain. */
export const MAX_HEADER_LINES = 64;

export class HeaderBlock {
  /** The prefix, reused for every block: allocating one per block would cost more than the rest of a header. */
  readonly #prefix = new Uint8Array(PREFIX_BYTES);
  #prefixLength = 0;
  #offset = 0;
  #lines = 0;
  #lengths: (number | undefined)[] = [];

  get isOpen(): boolean {
    return this.#lines > 0;
  }

  get isTooLong(): boolean {
    return this.#lines > MAX_HEADER_LINES;
  }

  get heldBytes(): number {
    return this.#prefix.length;
  }

  /** The length of the body, if the block has exactly one Content-Length and it is valid. */
  get length(): number | undefined {
    return this.#lengths.length === 1 ? this.#lengths[0] : undefined;
  }

  /** Adds a header line; the first one opens the block at its offset. Pass its bytes to `show`. */
  addLine(offset: number): void {
    if (this.#lines === 0) this.#offset = offset;
    this.#lines++;
  }

  /** `undefined` stands for a Content-Length that is not a number. Two are bad even if they agree. */
  addLength(length: number | undefined): void {
    if (this.#lengths.length < 2) this.#lengths.push(length);
  }

  /** Takes the bytes of the block in order: all of them, or the first `PREFIX_BYTES` of each line. */
  show(bytes: Uint8Array): void {
    const room = this.#prefix.length - this.#prefixLength;
    const shown = bytes.length > room ? bytes.subarray(0, room) : bytes;
    this.#prefix.set(shown, this.#prefixLength);
    this.#prefixLength += shown.length;
  }

  /** Reports the block, which ends before `endOffset`, as bad. */
  fail(code: FrameFaultCode, endOffset: number, sink: FrameSink): void {
    const fault = {
      code,
      offset: this.#offset,
      length: endOffset - this.#offset,
      prefix: this.#prefix.slice(0, this.#prefixLength),
    };
    this.clear();
    sink.fault(fault);
  }

  clear(): void {
    this.#lines = 0;
    this.#lengths = [];
    this.#prefixLength = 0;
  }
}
