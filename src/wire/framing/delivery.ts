// Delivers frames from the decoder, first to an observer and then to the protocol. On the inbound path, errors of
// either are caught only here. An error is reported after both have received the frame, so that the observed order is
// kept.

import type { FrameFault, FrameSink } from './framing.ts';

/** Receives every frame without changing it. */
export interface FrameObserver {
  /** The bytes are a view that is valid during the call: copy them to keep them. */
  received?(bytes: Uint8Array, offset: number): void;
  /** Called instead of `received`, for observers that do not need a view: the frame is chunk[start, end). */
  receivedSpan?(chunk: Uint8Array, start: number, end: number, offset: number): void;
  fault?(fault: FrameFault): void;
}

export class Delivery implements FrameSink {
  readonly neverThrows = true;
  readonly #protocol: FrameSink;
  readonly #observer: FrameObserver | undefined;
  readonly #report: (thrown: unknown) => void;

  /** `report` must not throw. */
  constructor(protocol: FrameSink, observer: FrameObserver | undefined, report: (thrown: unknown) => void) {
    this.#protocol = protocol;
    this.#observer = observer;
    this.#report = report;
  }

  frame(bytes: Uint8Array, offset: number): void {
    this.#deliver(this.#observer, bytes, 0, bytes.length, offset);
  }

  span(chunk: Uint8Array, start: number, end: number, offset: number): void {
    this.#deliver(this.#observer, chunk, start, end, offset);
  }

  fault(fault: FrameFault): void {
    this.#deliverFault(this.#observer, fault);
  }

  #deliver(observer: FrameObserver | undefined, chunk: Uint8Array, start: number, end: number, offset: number): void {
    let isObserved = false;
    try {
      if (observer?.receivedSpan) observer.receivedSpan(chunk, start, end, offset);
      else observer?.received?.(viewOf(chunk, start, end), offset);
      isObserved = true;
      if (this.#protocol.span) this.#protocol.span(chunk, start, end, offset);
      else this.#protocol.frame(viewOf(chunk, start, end), offset);
    } catch (thrown) {
      if (!isObserved) this.#deliver(undefined, chunk, start, end, offset);
      this.#report(thrown);
    }
  }

  #deliverFault(observer: FrameObserver | undefined, fault: FrameFault): void {
    let isObserved = false;
    try {
      observer?.fault?.(fault);
      isObserved = true;
      this.#protocol.fault(fault);
    } catch (thrown) {
      if (!isObserved) this.#deliverFault(undefined, fault);
      this.#report(thrown);
    }
  }
}

function viewOf(chunk: Uint8Array, start: number, end: number): Uint8Array {
  return start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end);
}
