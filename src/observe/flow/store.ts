// The newest events, bounded in bytes and in number; dropped events are visible as gaps. Capturing a frame costs a copy and an object;
// nothing is parsed here. A listener that throws is removed and does not affect the others.

import { type Clock, systemClock } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import { cutFrame } from './cut-frame.ts';
import type { FlowDirection, FlowEvent, FlowFact, FlowKind, HttpPlace } from './event.ts';
import { EventQueue } from './event-queue.ts';
import { type Block, Blocks, LARGEST_SHARED_BYTES } from './frame-blocks.ts';
import { FlowSource } from './source.ts';

export interface FlowStoreOptions {
  /** Maximum bytes to hold, including bookkeeping. The memory blocks that contain them may be 60 % larger. */
  maxBytes?: number;
  maxEvents?: number;
  /** For a longer frame, only the first and last bytes and the length are kept. */
  keepFrameBytes?: number;
  clock?: Clock;
}

/** Events may be kept, here as with `get` and `since`: their bytes are never overwritten. A frame retains its memory block. */
type FlowListener = (event: FlowEvent) => void;
/** `event`: missing for a frame if no listener needs its object. */
type FlowNotice = (kind: FlowKind, seq: number, event: FlowEvent | undefined) => void;

export const DEFAULT_KEEP_FRAME_BYTES = 1024 * 1024;
/** Frames of a smaller chunk are copied one by one, so that bytes outside of complete frames are not kept. */
const SMALLEST_SHARED_CHUNK_BYTES = 4096;

export class FlowStore {
  /** The date of `atMs` 0. */
  readonly startedAt = new Date();
  readonly keepFrameBytes: number;
  readonly clock: Clock;
  readonly #maxBytes: number;
  readonly #maxEvents: number;
  readonly #startMs: number;
  readonly #blocks = new Blocks();
  readonly #listeners = new Set<FlowNotice>();
  /** The listeners that need the objects of frames. */
  readonly #readers = new Set<FlowNotice>();
  readonly #lives = new Map<string, number>();
  readonly #queue = new EventQueue();
  #isTelling = false;
  readonly #untold: { kind: FlowKind; seq: number; event: FlowEvent | undefined }[] = [];
  /** The chunk of the latest frames, its offset and its block. `#runChunk` is unset when anything else is added. */
  #runChunk: Uint8Array | undefined;
  #runOffset = 0;
  #runBlock: Block | undefined;

  constructor(options: FlowStoreOptions = {}) {
    this.#maxBytes = options.maxBytes ?? 32 * 1024 * 1024;
    this.#maxEvents = options.maxEvents ?? 100_000;
    this.keepFrameBytes = options.keepFrameBytes ?? DEFAULT_KEEP_FRAME_BYTES;
    this.clock = options.clock ?? systemClock;
    this.#startMs = this.clock.nowMs();
  }

  get lastSeq(): number {
    return this.#queue.lastSeq;
  }

  get size(): number {
    return this.#queue.size;
  }

  get heldBytes(): number {
    return this.#queue.heldBytes;
  }

  get dropped(): { events: number; bytes: number } {
    return { events: this.lastSeq - this.size, bytes: this.#queue.droppedBytes };
  }

  begin(server: string): FlowSource {
    return new FlowSource(this, server);
  }

  nextLife(server: string): number {
    const life = (this.#lives.get(server) ?? 0) + 1;
    this.#lives.set(server, life);
    return life;
  }

  get(seq: number): FlowEvent | undefined {
    return this.#queue.get(seq);
  }

  since(seq: number, limit = Number.MAX_SAFE_INTEGER): FlowEvent[] {
    return this.#queue.since(seq, limit);
  }

  /** Calls back for every event from now on, in order. Returns a function that unsubscribes. */
  subscribe(listener: FlowListener): () => void {
    const notice: FlowNotice = (_kind, _seq, event) => event && listener(event);
    this.#readers.add(notice);
    return this.notice(notice);
  }

  /**
   * Like `subscribe`, for a listener that needs no frames: without other listeners, no objects are created for them, and their memory
   * can be filled again.
   */
  notice(listener: FlowNotice): () => void {
    this.#listeners.add(listener);
    return () => this.#leave(listener);
  }

  #leave(listener: FlowNotice): void {
    this.#listeners.delete(listener);
    this.#readers.delete(listener);
  }

  append(server: string, life: number, fact: FlowFact): void {
    this.#add({ seq: this.lastSeq + 1, atMs: this.#nowMs(), server, life, ...fact });
  }

  appendFrame(
    server: string,
    life: number,
    direction: FlowDirection,
    bytes: Uint8Array,
    offset?: number,
    http?: HttpPlace,
  ): void {
    if (bytes.length > this.keepFrameBytes) {
      this.append(server, life, { kind: 'frame', direction, offset, cut: true, ...cutFrame(bytes), http });
      return;
    }
    this.#beginRun(server, life, direction, bytes, offset, 1, http);
    this.#queue.addFrame(0, bytes.length);
    this.#framesAdded(1);
  }

  /** Appends the frame chunk[start, end). A large chunk is copied once for all its frames, which share one time. */
  appendSpan(
    server: string,
    life: number,
    direction: FlowDirection,
    chunk: Uint8Array,
    start: number,
    end: number,
    offset: number,
  ): void {
    const isShared = chunk.length >= SMALLEST_SHARED_CHUNK_BYTES && chunk.length <= LARGEST_SHARED_BYTES;
    if (!isShared || end - start > this.keepFrameBytes) {
      this.appendFrame(server, life, direction, chunk.subarray(start, end), offset);
      return;
    }
    // The offset is compared too: a reader that reuses its buffer passes the same object with different bytes.
    const isSame = this.#runChunk === chunk && this.#runOffset === offset - start && this.#runBlock!.hasRoom(0, 2);
    if (!isSame) {
      this.#runBlock = this.#beginRun(server, life, direction, chunk, offset - start, 1);
      this.#runChunk = chunk;
      this.#runOffset = offset - start;
    }
    this.#queue.addFrame(start, end);
    this.#framesAdded(1);
  }

  /** Appends messages that were written together. `places` holds start and end of each message in `chunk`. */
  appendSpans(server: string, life: number, direction: FlowDirection, chunk: Uint8Array, places: number[]): void {
    if (places.length === 0) return;
    if (chunk.length > Math.min(LARGEST_SHARED_BYTES, this.keepFrameBytes)) {
      for (let at = 0; at < places.length; at += 2) {
        this.appendFrame(server, life, direction, chunk.subarray(places[at], places[at + 1]));
      }
      return;
    }
    this.#beginRun(server, life, direction, chunk, undefined, places.length / 2);
    this.#queue.addFrames(places);
    this.#framesAdded(places.length / 2);
  }

  /** Copies the bytes into a block with space for a number of frames, which must be added next. */
  #beginRun(
    server: string,
    life: number,
    direction: FlowDirection,
    bytes: Uint8Array,
    offset: number | undefined,
    frames: number,
    http?: HttpPlace,
  ): Block {
    const block = this.#blocks.withRoom(bytes.length, frames);
    this.#runChunk = undefined;
    this.#queue.pushRun(this.#nowMs(), server, life, direction, block, bytes, offset, http);
    return block;
  }

  #nowMs(): number {
    return this.clock.nowMs() - this.#startMs;
  }

  /** The frames are read before anything is dropped: they may be more than the store keeps. */
  #framesAdded(count: number): void {
    const { lastSeq } = this;
    const events = this.#readers.size > 0 ? this.since(lastSeq - count) : undefined;
    this.#dropWhatIsTooMuch();
    if (this.#listeners.size === 0) return;
    for (let at = 0; at < count; at++) this.#tell('frame', lastSeq - count + 1 + at, events?.[at]);
    this.#tellUntold();
  }

  #add(event: FlowEvent): void {
    this.#runChunk = undefined;
    this.#queue.push(event);
    this.#dropWhatIsTooMuch();
    this.#tell(event.kind, event.seq, event);
    this.#tellUntold();
  }

  /** Never drops the newest event. */
  #dropWhatIsTooMuch(): void {
    const queue = this.#queue;
    while ((queue.heldBytes > this.#maxBytes || queue.size > this.#maxEvents) && queue.size > 1) {
      const block = queue.dropOldest();
      if (block) this.#blocks.dropped(block);
    }
  }

  /** Events that listeners cause are queued, so that all listeners get the events in order. */
  #tell(kind: FlowKind, seq: number, event: FlowEvent | undefined): void {
    if (this.#isTelling) return void this.#untold.push({ kind, seq, event });
    this.#isTelling = true;
    for (const listener of this.#listeners) this.#call(listener, kind, seq, event);
    this.#isTelling = false;
  }

  #tellUntold(): void {
    while (!this.#isTelling && this.#untold.length > 0) {
      const { kind, seq, event } = this.#untold.shift()!;
      this.#tell(kind, seq, event);
    }
  }

  #call(listener: FlowNotice, kind: FlowKind, seq: number, event: FlowEvent | undefined): void {
    try {
      listener(kind, seq, event);
    } catch (thrown) {
      this.#leave(listener);
      const { server, life } = event ?? this.get(seq) ?? this.get(this.lastSeq)!;
      const message = `A listener threw and gets no more events: ${toError(thrown).message}`;
      this.append(server, life, { kind: 'error', code: 'LISTENER_FAILED', message });
    }
  }
}
