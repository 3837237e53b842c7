// Reads a length of eight hexadecimal digits, as in `0000001c{…}`. Other bytes are skipped until eight consecutive
// digits are found, and are reported as one fault of any length, so the decoder resynchronises after stray output.

import type { FrameSink } from './framing.ts';
import { PREFIX_BYTES } from './framing.ts';
import type { LengthReader } from './length-prefix.ts';
import { PartialFrame } from './partial-frame.ts';

export const HEX_DIGITS = 8;

export class HexLength implements LengthReader {
  length = -1;
  /** All bytes read since the last payload: digits, or stray output that may end with digits. */
  readonly #seen = new PartialFrame(PREFIX_BYTES, HEX_DIGITS);
  #digits = 0;
  #value = 0;

  get heldBytes(): number {
    return this.#seen.heldBytes;
  }

  feed(chunk: Uint8Array, from: number, chunkOffset: number, sink: FrameSink): number {
    if (this.#seen.length === 0) this.#seen.beginAt(chunkOffset + from);
    let at = from;
    while (at < chunk.length && this.#digits < HEX_DIGITS) this.#count(chunk[at++]!);
    const whole = this.#digits === HEX_DIGITS;
    this.length = whole ? this.#value : -1;
    const noise = this.#seen.length + (at - from) - HEX_DIGITS;
    if (!whole || noise > 0) this.#seen.add(chunk, from, at);
    if (whole) {
      this.#digits = 0;
      this.#value = 0;
      if (noise > 0) this.#seen.fail('FRAME_LENGTH_INVALID', noise, sink);
      else this.#seen.clear();
    }
    return at;
  }

  finish(sink: FrameSink): void {
    const { length } = this.#seen;
    if (length === 0) return;
    this.#seen.fail(this.#digits === length ? 'FRAME_TRUNCATED' : 'FRAME_LENGTH_INVALID', length, sink);
  }

  #count(byte: number): void {
    const digit = hexDigit(byte);
    this.#digits = digit < 0 ? 0 : this.#digits + 1;
    this.#value = digit < 0 ? 0 : this.#value * 16 + digit;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1;
}
