// A payload whose length is announced before it: the second half of every framing with a header. Bytes are counted, not
// examined. Memory grows with the bytes received rather than with the announced length.

import type { FrameSink } from './framing.ts';
import { PartialFrame } from './partial-frame.ts';

export class CountedPayload {
  readonly #maxFrameBytes: number;
  readonly #open: PartialFrame;
  #announced = -1;

  constructor(maxFrameBytes: number) {
    this.#maxFrameBytes = maxFrameBytes;
    this.#open = new PartialFrame(maxFrameBytes);
  }

  /** Whether a payload has been announced and not yet delivered. */
  get isOpen(): boolean {
    return this.#announced >= 0;
  }

  get heldBytes(): number {
    return this.#open.heldBytes;
  }

  announce(length: number, offset: number): void {
    this.#announced = length;
    this.#open.beginAt(offset);
    if (length > this.#maxFrameBytes) this.#open.letGo();
  }

  /**
   * Takes the payload's share of chunk[from…] and returns the index where it ends. Call it even if the chunk has no
   * bytes left: a payload may be empty.
   */
  feed(chunk: Uint8Array, from: number, sink: FrameSink): number {
    const missing = this.#announced - this.#open.length;
    const to = Math.min(chunk.length, from + missing);
    if (to - from < missing) {
      this.#open.add(chunk, from, to);
      return to;
    }
    const length = this.#announced;
    this.#announced = -1;
    this.#open.finish(length, chunk, from, to, sink);
    return to;
  }

  /** Call this when the stream has ended. */
  finish(sink: FrameSink): void {
    if (!this.isOpen) return;
    const tooLong = this.#announced > this.#maxFrameBytes;
    this.#open.cut(tooLong ? this.#announced : this.#open.length, sink);
  }
}
