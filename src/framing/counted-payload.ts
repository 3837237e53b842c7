// A payload whose length was announced before it came: the second half of every framing with a header. Bytes are only
// counted here, never looked at; memory grows with what has come, not with what was announced.

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

  /** Whether a payload has been announced and not yet handed on. */
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

  /** Takes its share of chunk[from…] and says where that ends. To be called even with nothing left: a payload may be empty. */
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

  /** The stream has ended. */
  finish(sink: FrameSink): void {
    if (!this.isOpen) return;
    const tooLong = this.#announced > this.#maxFrameBytes;
    this.#open.cut(tooLong ? this.#announced : this.#open.length, sink);
  }
}
