// Stands before somebody's observer: one that fails is told on, and costs nobody anything else.

import { decodeText } from '../base/decode-text.ts';
import { toError } from '../base/errors.ts';
import type { FrameFault } from '../framing/framing.ts';
import type { WireObserver } from './wire.ts';

export class GuardedObserver implements Required<Omit<WireObserver, 'sent'>> {
  readonly #observer: WireObserver;
  readonly #report: (error: Error) => void;

  constructor(observer: WireObserver, report: (error: Error) => void) {
    this.#observer = observer;
    this.#report = report;
  }

  // The next three are called for everything that passes: no closure is made for them.

  sentSpans(chunk: Uint8Array, places: number[]): void {
    try {
      if (this.#observer.sentSpans) this.#observer.sentSpans(chunk, places);
      else if (this.#observer.sent) this.#tellEach(chunk, places);
    } catch (error) {
      this.#report(toError(error));
    }
  }

  received(bytes: Uint8Array, offset: number): void {
    try {
      this.#observer.received?.(bytes, offset);
    } catch (error) {
      this.#report(toError(error));
    }
  }

  receivedSpan(chunk: Uint8Array, start: number, end: number, offset: number): void {
    try {
      if (this.#observer.receivedSpan) this.#observer.receivedSpan(chunk, start, end, offset);
      else this.#observer.received?.(chunk.subarray(start, end), offset);
    } catch (error) {
      this.#report(toError(error));
    }
  }

  fault(fault: FrameFault): void {
    this.#guard(() => this.#observer.fault?.(fault));
  }

  spawned(pid: number, command: string): void {
    this.#guard(() => this.#observer.spawned?.(pid, command));
  }

  stderr(chunk: Uint8Array): void {
    this.#guard(() => this.#observer.stderr?.(chunk));
  }

  exited(exitCode: number | null, signal: string | null): void {
    this.#guard(() => this.#observer.exited?.(exitCode, signal));
  }

  stopped(rung: string): void {
    this.#guard(() => this.#observer.stopped?.(rung));
  }

  #tellEach(chunk: Uint8Array, places: readonly number[]): void {
    for (let at = 0; at < places.length; at += 2) {
      const text = decodeText(chunk, places[at], places[at + 1]);
      this.#guard(() => this.#observer.sent?.(text));
    }
  }

  #guard(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#report(toError(error));
    }
  }
}
