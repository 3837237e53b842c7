// One process of one server, as the teller of events: whoever watches it holds one of these.

import type { FrameFault } from '../framing/framing.ts';
import { copy, headOf, tailOf } from './cut-frame.ts';
import type { FlowDirection, FlowFact } from './event.ts';
import { StderrLines } from './stderr-lines.ts';
import type { FlowStore } from './store.ts';

export class FlowSource {
  readonly server: string;
  readonly life: number;
  readonly #store: FlowStore;
  readonly #stderr: StderrLines;

  constructor(store: FlowStore, server: string, life: number) {
    this.#store = store;
    this.server = server;
    this.life = life;
    this.#stderr = new StderrLines(store.clock, (payload) => this.#addStderr(payload));
  }

  /** Bytes are copied. */
  frame(direction: FlowDirection, bytes: Uint8Array, offset?: number): void {
    this.#store.appendFrame(this.server, this.life, direction, bytes, offset);
  }

  /** The frame is chunk[start, end). Bytes are copied, of all the frames in the chunk at once. */
  span(direction: FlowDirection, chunk: Uint8Array, start: number, end: number, offset: number): void {
    this.#store.appendSpan(this.server, this.life, direction, chunk, start, end, offset);
  }

  /** Messages that were written together; `places` is start and end of each. Bytes are copied. */
  spans(direction: FlowDirection, chunk: Uint8Array, places: number[]): void {
    this.#store.appendSpans(this.server, this.life, direction, chunk, places);
  }

  text(direction: FlowDirection, text: string): void {
    this.frame(direction, new TextEncoder().encode(text));
  }

  fault(direction: FlowDirection, { code, offset, length, prefix }: FrameFault): void {
    this.add({ kind: 'fault', direction, code, offset, length, prefix: copy(prefix) });
  }

  /**
   * A frame that was longer than the watcher's own limit, and sound as far as anyone knows: the fault of a decoder that
   * only watches is not the fault of the traffic.
   */
  cutFrame(direction: FlowDirection, { offset, length, prefix }: FrameFault, tail: Uint8Array): void {
    this.add({
      kind: 'frame',
      direction,
      offset,
      length,
      cut: true,
      payload: headOf(prefix),
      tail: tailOf(tail),
    });
  }

  /** What stderr ends in that may be the beginning of a secret waits for the rest. */
  set unfinishedSecret(unfinished: (bytes: Uint8Array) => number) {
    this.#stderr.unfinished = unfinished;
  }

  stderr(chunk: Uint8Array): void {
    this.#stderr.push(chunk);
  }

  /** No more of stderr will come. */
  endStderr(): void {
    this.#stderr.flush();
  }

  add(fact: FlowFact): void {
    this.#store.append(this.server, this.life, fact);
  }

  #addStderr(bytes: Uint8Array): void {
    const kept = this.#store.keepFrameBytes;
    this.add({ kind: 'stderr', length: bytes.length, payload: bytes.subarray(0, kept) });
  }
}
