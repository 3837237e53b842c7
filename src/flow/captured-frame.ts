// A frame as the store keeps it: where its bytes lie, and nothing computed. A message that was handed over as text stays
// text until somebody asks for its bytes; strings are never copied.

import type { FlowDirection, FrameEvent } from './event.ts';

const encoder = new TextEncoder();

abstract class Captured {
  readonly kind = 'frame';
  readonly seq: number;
  readonly atMs: number;
  readonly server: string;
  readonly life: number;
  readonly direction: FlowDirection;

  constructor(seq: number, atMs: number, server: string, life: number, direction: FlowDirection) {
    this.seq = seq;
    this.atMs = atMs;
    this.server = server;
    this.life = life;
    this.direction = direction;
  }
}

export class CapturedBytes extends Captured implements FrameEvent {
  readonly length: number;
  readonly offset: number | undefined;
  /** The payload is block[start, start + length): for whoever can do without a view. */
  readonly #block: Uint8Array;
  readonly #start: number;

  constructor(
    seq: number,
    atMs: number,
    server: string,
    life: number,
    direction: FlowDirection,
    block: Uint8Array,
    start: number,
    length: number,
    offset: number | undefined,
  ) {
    super(seq, atMs, server, life, direction);
    this.#block = block;
    this.#start = start;
    this.length = length;
    this.offset = offset;
  }

  get block(): Uint8Array {
    return this.#block;
  }

  get start(): number {
    return this.#start;
  }

  get payload(): Uint8Array {
    return this.#block.subarray(this.#start, this.#start + this.length);
  }
}

export class CapturedText extends Captured implements FrameEvent {
  readonly text: string;

  constructor(seq: number, atMs: number, server: string, life: number, direction: FlowDirection, text: string) {
    super(seq, atMs, server, life, direction);
    this.text = text;
  }

  get payload(): Uint8Array {
    return encoder.encode(this.text);
  }

  get length(): number {
    return this.payload.length;
  }
}
