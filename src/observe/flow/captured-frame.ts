// A frame as the store keeps it: the position of its bytes, without any parsed data.

import type { FlowDirection, FrameEvent, HttpPlace } from './event.ts';

export class CapturedFrame implements FrameEvent {
  readonly kind = 'frame';
  readonly seq: number;
  readonly atMs: number;
  readonly server: string;
  readonly life: number;
  readonly direction: FlowDirection;
  readonly length: number;
  readonly offset: number | undefined;
  readonly http: HttpPlace | undefined;
  /** The payload is block[start, start + length), for readers that do not need a view. */
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
    http: HttpPlace | undefined,
  ) {
    this.seq = seq;
    this.atMs = atMs;
    this.server = server;
    this.life = life;
    this.direction = direction;
    this.#block = block;
    this.#start = start;
    this.length = length;
    this.offset = offset;
    this.http = http;
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
