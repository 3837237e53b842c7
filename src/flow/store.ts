// What happened, newest first to stay: bounded in bytes and in events, and open about what it had to drop. Capturing a
// frame is a copy and an object; nobody parses anything here. A listener that throws loses its place and nothing else.
// Knows nothing of files, sockets or pages.

import { type Clock, systemClock } from '../base/clock.ts';
import { toError } from '../base/errors.ts';
import { ByteBlocks } from './byte-blocks.ts';
import { CapturedFrame } from './captured-frame.ts';
import { ChunkRun } from './chunk-run.ts';
import { cutFrame } from './cut-frame.ts';
import type { FlowDirection, FlowEvent, FlowFact } from './event.ts';
import { EventQueue } from './event-queue.ts';
import { FlowSource } from './source.ts';

export interface FlowStoreOptions {
  /** The most bytes to hold, bookkeeping included. */
  maxBytes?: number;
  maxEvents?: number;
  /** A longer frame is kept as its first and last bytes and its length. */
  keepFrameBytes?: number;
  clock?: Clock;
}

export type FlowListener = (event: FlowEvent) => void;

export const DEFAULT_KEEP_FRAME_BYTES = 1024 * 1024;
/** Below this a view and a copy cost less than a buffer kept alive. */
const SMALLEST_KEPT_CHUNK_BYTES = 4096;
/** What is kept together is dropped together. */
const LARGEST_KEPT_CHUNK_BYTES = 256 * 1024;

export class FlowStore {
  /** The date of `atMs` 0. */
  readonly startedAt = new Date();
  readonly keepFrameBytes: number;
  readonly clock: Clock;
  readonly #maxBytes: number;
  readonly #maxEvents: number;
  readonly #startMs: number;
  readonly #blocks = new ByteBlocks();
  readonly #listeners = new Set<FlowListener>();
  readonly #lives = new Map<string, number>();
  readonly #queue = new EventQueue();
  /** The chunk whose frames came last, while nothing else has come. */
  #run: ChunkRun | undefined;

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

  /** A new process of a server: what it does goes through the source. */
  begin(server: string): FlowSource {
    const life = (this.#lives.get(server) ?? 0) + 1;
    this.#lives.set(server, life);
    return new FlowSource(this, server, life);
  }

  get(seq: number): FlowEvent | undefined {
    return this.#queue.get(seq);
  }

  /** The events behind `seq` that are still held, oldest first, at most `limit`. */
  since(seq: number, limit = Number.MAX_SAFE_INTEGER): FlowEvent[] {
    return this.#queue.since(seq, limit);
  }

  /** Calls back for every event from now on, in order, as it happens. Returns what ends that. */
  subscribe(listener: FlowListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  append(server: string, life: number, fact: FlowFact): void {
    this.#add({ seq: this.lastSeq + 1, atMs: this.#nowMs(), server, life, ...fact });
  }

  /** The bytes are copied. */
  appendFrame(server: string, life: number, direction: FlowDirection, bytes: Uint8Array, offset?: number): void {
    if (bytes.length > this.keepFrameBytes) {
      this.append(server, life, { kind: 'frame', direction, offset, cut: true, ...cutFrame(bytes) });
      return;
    }
    const blocks = this.#blocks;
    blocks.copy(bytes);
    this.#add(
      new CapturedFrame(
        this.lastSeq + 1,
        this.#nowMs(),
        server,
        life,
        direction,
        blocks.block,
        blocks.start,
        bytes.length,
        offset,
      ),
    );
  }

  /**
   * The frame is chunk[start, end). A large chunk is kept as it is, for all the frames in it: nobody may write into it
   * afterwards. What came in one chunk came at one time.
   */
  appendSpan(
    server: string,
    life: number,
    direction: FlowDirection,
    chunk: Uint8Array,
    start: number,
    end: number,
    offset: number,
  ): void {
    if (chunk.length < SMALLEST_KEPT_CHUNK_BYTES || end - start > this.keepFrameBytes) {
      this.appendFrame(server, life, direction, chunk.subarray(start, end), offset);
      return;
    }
    if (this.#run?.facts.chunk !== chunk) {
      this.#run = this.#runOf(server, life, direction, chunk, offset - start, []);
      this.#queue.pushRun(this.#run);
    }
    this.#queue.extendRun(this.#run, start, end);
    this.#dropWhatIsTooMuch();
    if (this.#listeners.size > 0) this.#tell(this.get(this.lastSeq)!);
  }

  /**
   * Messages that were written together: each is chunk[start, end), and `places` is start and end of all of them. Both may
   * be kept: nobody may write into them afterwards.
   */
  appendSpans(server: string, life: number, direction: FlowDirection, chunk: Uint8Array, places: number[]): void {
    if (
      chunk.length < SMALLEST_KEPT_CHUNK_BYTES ||
      chunk.length > Math.min(LARGEST_KEPT_CHUNK_BYTES, this.keepFrameBytes)
    ) {
      for (let at = 0; at < places.length; at += 2) {
        this.appendFrame(server, life, direction, chunk.subarray(places[at], places[at + 1]));
      }
      return;
    }
    const run = this.#runOf(server, life, direction, chunk, undefined, places);
    this.#run = undefined;
    this.#queue.pushRun(run);
    this.#dropWhatIsTooMuch();
    if (this.#listeners.size > 0) this.#tellAll(run);
  }

  #runOf(
    server: string,
    life: number,
    direction: FlowDirection,
    chunk: Uint8Array,
    chunkOffset: number | undefined,
    places: number[],
  ): ChunkRun {
    const firstSeq = this.lastSeq + 1;
    return new ChunkRun({ firstSeq, atMs: this.#nowMs(), server, life, direction, chunk, chunkOffset }, places);
  }

  #nowMs(): number {
    return this.clock.nowMs() - this.#startMs;
  }

  #add(event: FlowEvent): void {
    this.#run = undefined;
    this.#queue.push(event);
    this.#dropWhatIsTooMuch();
    this.#tell(event);
  }

  /** All but the newest event may go. */
  #dropWhatIsTooMuch(): void {
    const queue = this.#queue;
    while ((queue.heldBytes > this.#maxBytes || queue.size > this.#maxEvents) && queue.size > 1) queue.dropOldest();
  }

  #tellAll(run: ChunkRun): void {
    const end = run.firstSeq + run.count;
    for (let seq = run.firstSeq; seq < end; seq++) this.#tell(run.frame(seq));
  }

  #tell(event: FlowEvent): void {
    for (const listener of this.#listeners) this.#call(listener, event);
  }

  #call(listener: FlowListener, event: FlowEvent): void {
    try {
      listener(event);
    } catch (thrown) {
      this.#listeners.delete(listener);
      const message = `A listener threw and gets no more events: ${toError(thrown).message}`;
      this.append(event.server, event.life, { kind: 'error', code: 'LISTENER_FAILED', message });
    }
  }
}
