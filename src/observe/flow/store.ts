// The newest events, bounded in bytes and in number; dropped events are visible as gaps. Capturing a frame costs a copy and an object;
// nothing is parsed here. A listener that throws is removed and does not affect the others.

import { type Clock, systemClock } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import { cutFrame } from './cut-frame.ts';
import {
  type FlowDirection,
  type FlowEvent,
  type FlowFact,
  type FlowKind,
  type HttpPlace,
  lengthOfParts,
} from './event.ts';
import { Blocks, FRAME_BYTES, FrameRun, LARGEST_SHARED_BYTES } from './frame-run.ts';
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
  /** The chunk of the latest frames, unset when anything else is added. */
  #run: FrameRun | undefined;
  #runChunk: Uint8Array | undefined;

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
    const run = this.#capture(server, life, direction, bytes, offset, 1);
    run.http = http;
    run.add(0, bytes.length);
    this.#addRun(run);
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
    let run = this.#run;
    // The offset is compared too: a reader that reuses its buffer passes the same object with different bytes.
    if (run === undefined || this.#runChunk !== chunk || run.offset !== offset - start || !run.block.hasRoom(0, 2)) {
      run = this.#capture(server, life, direction, chunk, offset - start, 1);
      this.#run = run;
      this.#runChunk = chunk;
      run.add(start, end);
      this.#queue.pushRun(run);
    } else {
      this.#queue.extendRun(run, start, end);
    }
    this.#framesAdded(run, this.lastSeq);
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
    const run = this.#capture(server, life, direction, chunk, undefined, places.length / 2);
    run.addAll(places);
    this.#addRun(run);
  }

  #capture(
    server: string,
    life: number,
    direction: FlowDirection,
    bytes: Uint8Array,
    offset: number | undefined,
    frames: number,
  ): FrameRun {
    const block = this.#blocks.withRoom(bytes.length, frames);
    return new FrameRun(this.lastSeq + 1, this.#nowMs(), server, life, direction, block, bytes, offset);
  }

  #nowMs(): number {
    return this.clock.nowMs() - this.#startMs;
  }

  #addRun(run: FrameRun): void {
    this.#run = undefined;
    this.#queue.pushRun(run);
    this.#framesAdded(run, run.firstSeq);
  }

  #framesAdded(run: FrameRun, from: number): void {
    this.#dropWhatIsTooMuch();
    if (this.#listeners.size === 0) return;
    const { lastSeq } = run;
    const isRead = this.#readers.size > 0;
    for (let seq = from; seq <= lastSeq; seq++) this.#tell('frame', seq, isRead ? run.frame(seq) : undefined);
    this.#tellUntold();
  }

  #add(event: FlowEvent): void {
    this.#run = undefined;
    this.#queue.push(event);
    this.#dropWhatIsTooMuch();
    this.#tell(event.kind, event.seq, event);
    this.#tellUntold();
  }

  /** Never drops the newest event. */
  #dropWhatIsTooMuch(): void {
    const queue = this.#queue;
    while ((queue.heldBytes > this.#maxBytes || queue.size > this.#maxEvents) && queue.size > 1) {
      const run = queue.dropOldest();
      if (run) this.#blocks.dropped(run);
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

const EVENT_BYTES = 160;

type Slot = FlowEvent | FrameRun;

/** The events of a store by sequence number, oldest first: a queue with binary search that counts the memory of its events. */
class EventQueue {
  /** Slots from `#head` on are valid; earlier ones were dropped. */
  #slots: (Slot | undefined)[] = [];
  #head = 0;
  #firstSeq = 1;
  #lastSeq = 0;
  #heldBytes = 0;
  #droppedBytes = 0;

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get size(): number {
    return this.#lastSeq - this.#firstSeq + 1;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  get droppedBytes(): number {
    return this.#droppedBytes;
  }

  push(event: FlowEvent): void {
    this.#slots.push(event);
    this.#lastSeq = event.seq;
    this.#heldBytes += weightOf(event);
  }

  pushRun(run: FrameRun): void {
    this.#slots.push(run);
    this.#lastSeq = run.lastSeq;
    this.#heldBytes += run.weight;
  }

  /** Adds a frame to the run that was pushed last. Nothing else may have been pushed since. */
  extendRun(run: FrameRun, start: number, end: number): void {
    run.add(start, end);
    this.#heldBytes += FRAME_BYTES;
    this.#lastSeq++;
  }

  get(seq: number): FlowEvent | undefined {
    if (seq < this.#firstSeq || seq > this.#lastSeq) return undefined;
    const slot = this.#slots[this.#slotOf(seq)]!;
    return slot instanceof FrameRun ? slot.frame(seq) : slot;
  }

  since(seq: number, limit: number): FlowEvent[] {
    const first = Math.max(seq + 1, this.#firstSeq);
    const last = Math.min(this.#lastSeq, first + limit - 1);
    const events: FlowEvent[] = [];
    if (first > last) return events;
    let at = this.#slotOf(first);
    for (let next = first; next <= last; at++) {
      const slot = this.#slots[at]!;
      if (slot instanceof FrameRun) {
        const end = Math.min(last, slot.lastSeq);
        for (; next <= end; next++) events.push(slot.frame(next));
      } else {
        events.push(slot);
        next++;
      }
    }
    return events;
  }

  /** The shared data of a run is dropped with its last frame. Returns the run then. */
  dropOldest(): FrameRun | undefined {
    const slot = this.#slots[this.#head]!;
    const seq = this.#firstSeq++;
    const isRun = slot instanceof FrameRun;
    if (isRun && seq < slot.lastSeq) return undefined;
    const weight = isRun ? slot.weight : weightOf(slot);
    this.#heldBytes -= weight;
    this.#droppedBytes += weight;
    this.#slots[this.#head++] = undefined;
    if (this.#head >= 1024 && this.#head * 2 >= this.#slots.length) {
      this.#slots = this.#slots.slice(this.#head);
      this.#head = 0;
    }
    return isRun ? slot : undefined;
  }

  /** The last slot that begins at or before this number. */
  #slotOf(seq: number): number {
    let low = this.#head;
    let high = this.#slots.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (firstSeqOf(this.#slots[middle]!) <= seq) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function firstSeqOf(slot: Slot): number {
  return slot instanceof FrameRun ? slot.firstSeq : slot.seq;
}

/** The weight of an event in bytes, which must not change. */
function weightOf(event: FlowEvent): number {
  return EVENT_BYTES + event.server.length + lengthOfParts(event);
}
