// Connects a wire to a store: what the wire sees becomes events of one life of the server.

import type { FrameFault } from '../framing/framing.ts';
import type { WireObserver } from '../transport/wire.ts';
import type { FlowSource } from './source.ts';

/** A second process on the same wire, such as after a question for the era that cost the first one, is another life. */
export class FlowObserver implements WireObserver {
  #source: FlowSource;
  readonly #nextLife: () => FlowSource;
  #spawned = false;

  constructor(source: FlowSource, nextLife: () => FlowSource) {
    this.#source = source;
    this.#nextLife = nextLife;
  }

  spawned(pid: number, command: string): void {
    if (this.#spawned) this.#source = this.#nextLife();
    this.#spawned = true;
    this.#source.add({ kind: 'spawn', pid, command });
  }

  sentSpans(chunk: Uint8Array, places: number[]): void {
    this.#source.spans('toServer', chunk, places);
  }

  received(bytes: Uint8Array, offset: number): void {
    this.#source.frame('fromServer', bytes, offset);
  }

  receivedSpan(chunk: Uint8Array, start: number, end: number, offset: number): void {
    this.#source.span('fromServer', chunk, start, end, offset);
  }

  fault(fault: FrameFault): void {
    this.#source.fault('fromServer', fault);
  }

  stderr(chunk: Uint8Array): void {
    this.#source.stderr(chunk);
  }

  exited(exitCode: number | null, signal: string | null): void {
    this.#source.endStderr();
    this.#source.add({ kind: 'exit', exitCode, signal });
  }

  stopped(rung: string): void {
    this.#source.endStderr();
    this.#source.add({ kind: 'stop', rung });
  }
}
