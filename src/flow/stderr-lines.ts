// Stderr comes in chunks that are cut anywhere: inside a line, a character, a secret. What ends inside a line waits a
// moment for the rest of it, so that an event mostly holds whole lines. A prompt without a newline waits no longer than
// HOLD_MS; a line without end is passed on in pieces. What may be the beginning of a secret waits longer, so that the secret
// is in one event and can be recognised there: until the rest comes, or SECRET_HOLD_MS have passed.

import type { Clock, Timer } from '../base/clock.ts';
import { copy } from './cut-frame.ts';

const LF = 0x0a;
const HOLD_MS = 50;
const SECRET_HOLD_MS = 5_000;
const MAX_HELD_BYTES = 64 * 1024;

export class StderrLines {
  /** How many bytes at the end may be the beginning of a secret (secrets/unfinished-value.ts). */
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

  /** The rest of the line did not come: all goes but what may be the beginning of a secret. */
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
