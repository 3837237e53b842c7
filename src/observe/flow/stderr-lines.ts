// Splits stderr into events. Its chunks are cut anywhere: inside a line, a character, a secret. An incomplete line is held for the rest, so
// that an event usually contains whole lines. A prompt without a newline is held for at most HOLD_MS; an endless line is passed on in
// pieces. A possible beginning of a secret is held longer, until the rest arrives or SECRET_HOLD_MS have passed, so that the secret is in
// one event and can be recognised there.

import type { Clock, Timer } from '../../base/clock.ts';
import { copy } from './cut-frame.ts';

const LF = 0x0a;
const HOLD_MS = 50;
const SECRET_HOLD_MS = 5_000;
const MAX_HELD_BYTES = 64 * 1024;

export class StderrLines {
  /** Number of bytes at the end that may be the beginning of a secret (secrets/unfinished-value.ts). */
  unfinished: (bytes: Uint8Array) => number = () => 0;
  readonly #clock: Clock;
  readonly #emit: (bytes: Uint8Array) => void;
  #held: Uint8Array | undefined;
  #timer: Timer | undefined;

  /** `emit` may keep the bytes. */
  constructor(clock: Clock, emit: (bytes: Uint8Array) => void) {
    this.#clock = clock;
    this.#emit = emit;
  }

  push(chunk: Uint8Array): void {
    const bytes = joined(this.#held, chunk);
    const whole = bytes.length > MAX_HELD_BYTES ? bytes.length : bytes.lastIndexOf(LF) + 1;
    this.#pass(bytes, Math.min(whole, bytes.length - this.unfinished(bytes)), HOLD_MS);
  }

  flush(): void {
    const held = this.#held;
    if (held) this.#pass(held, held.length, HOLD_MS);
  }

  /** The rest of the line did not arrive: emits everything but a possible beginning of a secret. */
  #tired(): void {
    const held = this.#held!;
    this.#pass(held, held.length - this.unfinished(held), SECRET_HOLD_MS);
  }

  #pass(bytes: Uint8Array, end: number, holdMs: number): void {
    this.#hold(end < bytes.length ? bytes.subarray(end) : undefined, holdMs);
    if (end > 0) this.#emit(bytes.subarray(0, end));
  }

  #hold(bytes: Uint8Array | undefined, holdMs: number): void {
    this.#held = bytes;
    this.#timer?.cancel();
    const over = () => (holdMs === HOLD_MS ? this.#tired() : this.flush());
    this.#timer = bytes && this.#clock.after(holdMs, over);
    this.#timer?.keepAlive(false);
  }
}

function joined(held: Uint8Array | undefined, chunk: Uint8Array): Uint8Array {
  if (!held) return copy(chunk);
  const both = new Uint8Array(held.length + chunk.length);
  both.set(held);
  both.set(chunk, held.length);
  return both;
}
