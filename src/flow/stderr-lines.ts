// Stderr comes in chunks that are cut anywhere: inside a line, a character, a secret. What ends inside a line waits a
// moment for the rest of it, so that an event mostly holds whole lines. A prompt without a newline waits no longer than
// HOLD_MS; a line without end is passed on in pieces.

import type { Clock, Timer } from '../base/clock.ts';
import { copy } from './cut-frame.ts';

const LF = 0x0a;
const HOLD_MS = 50;
const MAX_HELD_BYTES = 64 * 1024;

export class StderrLines {
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
    this.#hold(whole < bytes.length ? bytes.subarray(whole) : undefined);
    if (whole > 0) this.#emit(bytes.subarray(0, whole));
  }

  flush(): void {
    const held = this.#held;
    this.#hold(undefined);
    if (held) this.#emit(held);
  }

  #hold(bytes: Uint8Array | undefined): void {
    this.#held = bytes;
    this.#timer?.cancel();
    this.#timer = bytes && this.#clock.after(HOLD_MS, () => this.flush());
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
