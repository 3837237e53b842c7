// The header lines before one body: what they say of its length, and enough of their bytes to show if they say nothing
// good. Memory is the prefix, however many lines come. Knows no chunks and no bodies.

import { type FrameFaultCode, type FrameSink, PREFIX_BYTES } from './framing.ts';

/** A block with more lines is bad, whatever they say. */
export const MAX_HEADER_LINES = 64;

export class HeaderBlock {
  /** Used again for every block: a new one for each would cost more than all the rest of a header. */
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

  /** The length of the body, if exactly one valid one was given. */
  get length(): number | undefined {
    return this.#lengths.length === 1 ? this.#lengths[0] : undefined;
  }

  /** A header line; the first one opens the block at its offset. Its bytes go to `show`. */
  addLine(offset: number): void {
    if (this.#lines === 0) this.#offset = offset;
    this.#lines++;
  }

  /** `undefined`: a Content-Length that is no number. Two are bad even if they agree: one of them is not meant for us. */
  addLength(length: number | undefined): void {
    if (this.#lengths.length < 2) this.#lengths.push(length);
  }

  /** Bytes of the block in their order; all of them, or as many of each line as a prefix needs. */
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
