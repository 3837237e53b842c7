// What happened, newest first to stay: bounded in bytes and in events, and open about what it had to drop. Capturing a
// frame is a copy and an object; nobody parses anything here. A listener that throws loses its place and nothing else.
// Knows nothing of files, sockets or pages.

import { type Clock, systemClock } from '../base/clock.ts';
import { toError } from '../base/errors.ts';
import { ByteBlocks } from './byte-blocks.ts';
import { CapturedBytes, CapturedText } from './captured-frame.ts';
import { cutFrame } from './cut-frame.ts';
import type { FlowDirection, FlowEvent, FlowFact } from './event.ts';
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
/** About what an event costs beside its bytes. */
const EVENT_BYTES = 160;
/** Below this a view and a copy cost less than a buffer kept alive. */
const SMALLEST_KEPT_CHUNK_BYTES = 4096;
/** The longest UTF-8 for one unit of a string. */
const MAX_BYTES_PER_CHAR = 3;

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
  /** From #head on; what lies before was dropped. */
  #events: (FlowEvent | undefined)[] = [];
  #head = 0;
  /** The chunk that was kept last, and when it came. */
  #chunk: Uint8Array | undefined;
  #chunkAtMs = 0;
  #lastSeq = 0;
  #heldBytes = 0;
  #droppedBytes = 0;

  constructor(options: FlowStoreOptions = {}) {
    this.#maxBytes = options.maxBytes ?? 32 * 1024 * 1024;
    this.#maxEvents = options.maxEvents ?? 100_000;
    this.keepFrameBytes = options.keepFrameBytes ?? DEFAULT_KEEP_FRAME_BYTES;
    this.clock = options.clock ?? systemClock;
    this.#startMs = this.clock.nowMs();
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get size(): number {
    return this.#events.length - this.#head;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  get dropped(): { events: number; bytes: number } {
    return { events: this.#lastSeq - this.size, bytes: this.#droppedBytes };
  }

  /** A new process of a server: what it does goes through the source. */
  begin(server: string): FlowSource {
    const life = (this.#lives.get(server) ?? 0) + 1;
    this.#lives.set(server, life);
    return new FlowSource(this, server, life);
  }

  get(seq: number): FlowEvent | undefined {
    return this.#events[seq - this.#lastSeq + this.#events.length - 1];
  }

  /** The events behind `seq` that are still held, oldest first, at most `limit`. */
  since(seq: number, limit = Number.POSITIVE_INFINITY): FlowEvent[] {
    const from = Math.max(this.#head, this.#events.length - (this.#lastSeq - seq));
    return this.#events.slice(from, from + limit) as FlowEvent[];
  }

  /** Calls back for every event from now on, in order, as it happens. Returns what ends that. */
  subscribe(listener: FlowListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  append(server: string, life: number, fact: FlowFact): void {
    this.#add({ seq: this.#lastSeq + 1, atMs: this.#nowMs(), server, life, ...fact });
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
      new CapturedBytes(
        this.#lastSeq + 1,
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
    const isNew = chunk !== this.#chunk;
    if (isNew) {
      this.#chunk = chunk;
      this.#chunkAtMs = this.#nowMs();
    }
    const held = isNew ? chunk.buffer.byteLength : 0;
    const seq = this.#lastSeq + 1;
    const at = this.#chunkAtMs;
    this.#add(new CapturedBytes(seq, at, server, life, direction, chunk, start, end - start, offset, held));
  }

  /** A message that was handed over as text; its place in the stream is not known. */
  appendText(server: string, life: number, direction: FlowDirection, text: string): void {
    if (text.length * MAX_BYTES_PER_CHAR > this.keepFrameBytes) {
      this.appendFrame(server, life, direction, new TextEncoder().encode(text));
      return;
    }
    this.#add(new CapturedText(this.#lastSeq + 1, this.#nowMs(), server, life, direction, text));
  }

  #nowMs(): number {
    return this.clock.nowMs() - this.#startMs;
  }

  #add(event: FlowEvent): void {
    this.#lastSeq = event.seq;
    this.#events.push(event);
    this.#heldBytes += weightOf(event);
    while ((this.#heldBytes > this.#maxBytes || this.size > this.#maxEvents) && this.size > 1) this.#dropOldest();
    for (const listener of this.#listeners) this.#call(listener, event);
  }

  #dropOldest(): void {
    const weight = weightOf(this.#events[this.#head]!);
    this.#heldBytes -= weight;
    this.#droppedBytes += weight;
    this.#events[this.#head++] = undefined;
    if (this.#head < 1024 || this.#head * 2 < this.#events.length) return;
    this.#events = this.#events.slice(this.#head);
    this.#head = 0;
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

/** What an event holds in memory, about. Says the same for the same event at any time. */
function weightOf(event: FlowEvent): number {
  if (event instanceof CapturedBytes) return EVENT_BYTES + event.heldBytes;
  if (event instanceof CapturedText) return EVENT_BYTES + event.text.length;
  switch (event.kind) {
    case 'frame':
      return EVENT_BYTES + event.payload.length + (event.tail?.length ?? 0);
    case 'stderr':
      return EVENT_BYTES + event.payload.length;
    case 'fault':
      return EVENT_BYTES + event.prefix.length;
    case 'note':
      return EVENT_BYTES + event.text.length;
    case 'error':
      return EVENT_BYTES + event.message.length;
    default:
      return EVENT_BYTES;
  }
}
