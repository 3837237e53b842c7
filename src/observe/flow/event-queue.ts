// The events of a store by sequence number, oldest first, with binary search. Counts the memory of its events. An event has a slot; so has
// a run: frames that were read or written together, with one copy of their bytes and common data. Slots are columns of pages instead of
// objects: thousands of objects that live until the limit of the store drops them cost the garbage collector more than a capture does.

import { type FlowDirection, type FlowEvent, type HttpPlace, lengthOfParts } from './event.ts';
import { type Block, CapturedFrame } from './frame-blocks.ts';

const PAGE_SLOTS = 1024;
/** Approximate memory of an event, or of a run besides its bytes, and of a frame in a run. */
const SLOT_BYTES = 160;
const FRAME_BYTES = 40;

/** All columns but the first three are those of runs. */
class Page {
  readonly firstSeq = new Float64Array(PAGE_SLOTS);
  /** The memory that the slot counts as. */
  readonly bytes = new Float64Array(PAGE_SLOTS);
  /** The event, or the memory block with the bytes of a run. Undefined once it was dropped. */
  readonly content = new Array<FlowEvent | Block | undefined>(PAGE_SLOTS).fill(undefined);
  readonly atMs = new Float64Array(PAGE_SLOTS);
  readonly server = new Array<string>(PAGE_SLOTS).fill('');
  readonly life = new Float64Array(PAGE_SLOTS);
  readonly direction = new Array<FlowDirection>(PAGE_SLOTS).fill('toServer');
  /** Offset of the copied bytes in their stream; NaN if it is not known. */
  readonly offset = new Float64Array(PAGE_SLOTS);
  readonly http = new Array<HttpPlace | undefined>(PAGE_SLOTS).fill(undefined);
  /** Start and length of the copied bytes in the block, and of the places of the frames. */
  readonly start = new Uint32Array(PAGE_SLOTS);
  readonly length = new Uint32Array(PAGE_SLOTS);
  readonly firstPlace = new Uint32Array(PAGE_SLOTS);
  /** Number of frames; 0 for an event. */
  readonly frames = new Uint32Array(PAGE_SLOTS);

  lastSeq(slot: number): number {
    return this.firstSeq[slot]! + Math.max(1, this.frames[slot]!) - 1;
  }

  /** Returns a new object for a frame each time, which never changes. */
  event(slot: number, seq: number): FlowEvent {
    const content = this.content[slot]!;
    return this.frames[slot] === 0 ? (content as FlowEvent) : this.#frame(slot, seq, content as Block);
  }

  #frame(slot: number, seq: number, block: Block): CapturedFrame {
    const offset = this.offset[slot]!;
    const run = {
      atMs: this.atMs[slot]!,
      server: this.server[slot]!,
      life: this.life[slot]!,
      direction: this.direction[slot]!,
      offset: Number.isNaN(offset) ? undefined : offset,
      http: this.http[slot],
      start: this.start[slot]!,
    };
    return new CapturedFrame(seq, run, block, this.firstPlace[slot]! + 2 * (seq - this.firstSeq[slot]!));
  }

  /** Releases what the slot retains. */
  clear(slot: number): void {
    this.content[slot] = undefined;
    this.server[slot] = '';
    this.http[slot] = undefined;
  }
}

export class EventQueue {
  /** Slots are numbered across the pages: those from `#head` on and before `#end` are used. */
  #pages: Page[] = [];
  #spare: Page | undefined;
  #head = 0;
  #end = 0;
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
    const slot = this.#newSlot();
    const page = this.#pages[this.#pages.length - 1]!;
    page.firstSeq[slot] = event.seq;
    page.content[slot] = event;
    page.frames[slot] = 0;
    page.bytes[slot] = SLOT_BYTES + event.server.length + lengthOfParts(event);
    this.#lastSeq = event.seq;
    this.#heldBytes += page.bytes[slot]!;
  }

  /** Adds a run. At least one frame must be added to it before any other use of the queue. */
  pushRun(
    atMs: number,
    server: string,
    life: number,
    direction: FlowDirection,
    block: Block,
    bytes: Uint8Array,
    offset: number | undefined,
    http: HttpPlace | undefined,
  ): void {
    const slot = this.#newSlot();
    const page = this.#pages[this.#pages.length - 1]!;
    block.runs++;
    page.firstSeq[slot] = this.#lastSeq + 1;
    page.content[slot] = block;
    page.atMs[slot] = atMs;
    page.server[slot] = server;
    page.life[slot] = life;
    page.direction[slot] = direction;
    page.offset[slot] = offset ?? Number.NaN;
    page.http[slot] = http;
    page.firstPlace[slot] = block.usedPlaces;
    page.start[slot] = block.copy(bytes);
    page.length[slot] = bytes.length;
    page.frames[slot] = 0;
    page.bytes[slot] = SLOT_BYTES + server.length + bytes.length;
    this.#heldBytes += page.bytes[slot]!;
  }

  /** Adds the frame bytes[start, end) to the run that was pushed last. Its block must have room, and nothing else may have been pushed. */
  addFrame(start: number, end: number): void {
    const block = this.#blockForFrames(1);
    block.places[block.usedPlaces++] = start;
    block.places[block.usedPlaces++] = end;
  }

  /** Adds frames like `addFrame`. `places`: start and end of each. */
  addFrames(places: readonly number[]): void {
    const block = this.#blockForFrames(places.length / 2);
    block.places.set(places, block.usedPlaces);
    block.usedPlaces += places.length;
  }

  #blockForFrames(frames: number): Block {
    const page = this.#pages[this.#pages.length - 1]!;
    const slot = (this.#end - 1) % PAGE_SLOTS;
    page.frames[slot]! += frames;
    page.bytes[slot]! += frames * FRAME_BYTES;
    this.#lastSeq += frames;
    this.#heldBytes += frames * FRAME_BYTES;
    return page.content[slot] as Block;
  }

  get(seq: number): FlowEvent | undefined {
    if (seq < this.#firstSeq || seq > this.#lastSeq) return undefined;
    const at = this.#slotOf(seq);
    return this.#pageOf(at).event(at % PAGE_SLOTS, seq);
  }

  since(seq: number, limit: number): FlowEvent[] {
    const first = Math.max(seq + 1, this.#firstSeq);
    const last = Math.min(this.#lastSeq, first + limit - 1);
    const events: FlowEvent[] = [];
    if (first > last) return events;
    let next = first;
    for (let at = this.#slotOf(first); next <= last; at++) {
      const page = this.#pageOf(at);
      const slot = at % PAGE_SLOTS;
      const end = Math.min(last, page.lastSeq(slot));
      for (; next <= end; next++) events.push(page.event(slot, next));
    }
    return events;
  }

  /** The shared data of a run is dropped with its last frame. Returns the block of the run then. */
  dropOldest(): Block | undefined {
    const page = this.#pages[0]!;
    const slot = this.#head;
    const seq = this.#firstSeq++;
    if (seq < page.lastSeq(slot)) return undefined;
    const block = page.frames[slot] === 0 ? undefined : (page.content[slot] as Block);
    this.#heldBytes -= page.bytes[slot]!;
    this.#droppedBytes += page.bytes[slot]!;
    page.clear(slot);
    this.#head++;
    if (this.#head === PAGE_SLOTS) {
      this.#spare = this.#pages.shift();
      this.#head = 0;
      this.#end -= PAGE_SLOTS;
    }
    return block;
  }

  /** Returns the index in the last page. */
  #newSlot(): number {
    const slot = this.#end++ % PAGE_SLOTS;
    if (slot === 0) {
      this.#pages.push(this.#spare ?? new Page());
      this.#spare = undefined;
    }
    return slot;
  }

  #pageOf(at: number): Page {
    return this.#pages[Math.floor(at / PAGE_SLOTS)]!;
  }

  /** The last slot that begins at or before this number. */
  #slotOf(seq: number): number {
    let low = this.#head;
    let high = this.#end - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#pageOf(middle).firstSeq[middle % PAGE_SLOTS]! <= seq) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
