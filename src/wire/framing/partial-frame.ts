// One incomplete frame. It holds the bytes until they exceed the limit; from then on it keeps the first bytes and
// counts the rest, so that an endless frame costs no more than its prefix. Must not know about delimiters.

import { PartList } from '../../base/part-list.ts';
import { type FrameFault, type FrameFaultCode, type FrameSink, PREFIX_BYTES } from './framing.ts';

export class PartialFrame {
  readonly #maxFrameBytes: number;
  readonly #holdBytes: number;
  readonly #parts: PartList;
  /** Set once the frame is too long to be held. */
  #prefix: Uint8Array | undefined;
  #offset = 0;
  #length = 0;
  #lastByte = -1;

  /**
   * `delimiterBytes` is the number of bytes at the end that may turn out to belong to a delimiter; they are held beyond
   * the limit.
   */
  constructor(maxFrameBytes: number, delimiterBytes = 0) {
    this.#maxFrameBytes = maxFrameBytes;
    this.#holdBytes = maxFrameBytes + delimiterBytes;
    this.#parts = new PartList(this.#holdBytes);
  }

  get length(): number {
    return this.#length;
  }

  /** The last byte that was read; -1 before the first byte. */
  get lastByte(): number {
    return this.#lastByte;
  }

  get heldBytes(): number {
    return this.#parts.heldBytes + (this.#prefix?.length ?? 0);
  }

  /** Sets the position where the frame begins. Call it before the first byte is added. */
  beginAt(offset: number): void {
    this.#offset = offset;
  }

  add(chunk: Uint8Array, from: number, to: number): void {
    if (from === to) return;
    if (!this.#prefix && this.#length + to - from > this.#holdBytes) this.letGo();
    if (!this.#prefix) this.#parts.append(chunk, from, to);
    else if (this.#length < PREFIX_BYTES) {
      this.#prefix.set(chunk.subarray(from, Math.min(to, from + PREFIX_BYTES - this.#length)), this.#length);
    }
    this.#length += to - from;
    this.#lastByte = chunk[to - 1]!;
  }

  /**
   * Ends the frame with chunk[from, to) and delivers its first `length` bytes; the rest is the delimiter. Then starts a
   * new frame.
   */
  finish(length: number, chunk: Uint8Array, from: number, to: number, sink: FrameSink): void {
    if (length > this.#maxFrameBytes) {
      this.add(chunk, from, to);
      this.fail('FRAME_TOO_LONG', length, sink);
      return;
    }
    const bytes = this.#parts.join(length, chunk, from, to);
    const offset = this.#offset;
    this.clear();
    sink.frame(bytes, offset);
  }

  /** Reports a frame of `length` bytes that cannot be delivered, and starts a new frame. */
  fail(code: FrameFaultCode, length: number, sink: FrameSink): void {
    const fault: FrameFault = { code, offset: this.#offset, length, prefix: this.prefix(length) };
    this.clear();
    sink.fault(fault);
  }

  /** A copy of the first bytes, limited to the first `length`. */
  prefix(length: number): Uint8Array {
    const prefix = new Uint8Array(Math.min(length, this.#length, PREFIX_BYTES));
    if (this.#prefix) prefix.set(this.#prefix.subarray(0, prefix.length));
    else this.#parts.copyTo(prefix);
    return prefix;
  }

  /** Reports that the stream ended inside the frame. `length` excludes bytes that may belong to a delimiter. */
  cut(length: number, sink: FrameSink): void {
    this.fail(length > this.#maxFrameBytes ? 'FRAME_TOO_LONG' : 'FRAME_TRUNCATED', length, sink);
  }

  clear(): void {
    this.#parts.clear();
    this.#prefix = undefined;
    this.#length = 0;
    this.#lastByte = -1;
  }

  /** Keeps only the prefix from now on. Also used when an announced length already exceeds the limit. */
  letGo(): void {
    this.#prefix = new Uint8Array(PREFIX_BYTES);
    this.#parts.copyTo(this.#prefix);
    this.#parts.clear();
  }
}
