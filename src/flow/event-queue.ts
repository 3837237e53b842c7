// The events of a store, oldest first, by their numbers: in at one end, out at the other, found by halving. Counts what
// they weigh; who is dropped when is for the store to say.

import { CapturedFrame } from './captured-frame.ts';
import { ChunkRun, PLACE_BYTES } from './chunk-run.ts';
import type { FlowEvent } from './event.ts';

/** About what an event costs beside its bytes. */
const EVENT_BYTES = 160;

type Slot = FlowEvent | ChunkRun;

export class EventQueue {
  /** From #head on; what lies before was dropped. */
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

  pushRun(run: ChunkRun): void {
    this.#slots.push(run);
    this.#lastSeq += run.count;
    this.#heldBytes += runWeight(run);
  }

  /** Adds a frame to the run that was pushed last; nothing else may have been pushed since. */
  extendRun(run: ChunkRun, start: number, end: number): void {
    run.places.push(start, end);
    this.#lastSeq++;
    this.#heldBytes += PLACE_BYTES;
  }

  get(seq: number): FlowEvent | undefined {
    if (seq < this.#firstSeq || seq > this.#lastSeq) return undefined;
    const slot = this.#slots[this.#slotOf(seq)]!;
    return slot instanceof ChunkRun ? slot.frame(seq) : slot;
  }

  since(seq: number, limit: number): FlowEvent[] {
    const first = Math.max(seq + 1, this.#firstSeq);
    const last = Math.min(this.#lastSeq, first + limit - 1);
    const events: FlowEvent[] = [];
    if (first > last) return events;
    let at = this.#slotOf(first);
    for (let next = first; next <= last; at++) {
      const slot = this.#slots[at]!;
      if (slot instanceof ChunkRun) {
        const end = Math.min(last, slot.firstSeq + slot.count - 1);
        for (; next <= end; next++) events.push(slot.frame(next));
      } else {
        events.push(slot);
        next++;
      }
    }
    return events;
  }

  dropOldest(): void {
    const slot = this.#slots[this.#head]!;
    const seq = this.#firstSeq++;
    if (slot instanceof ChunkRun && seq < slot.firstSeq + slot.count - 1) return; // what they share goes with the last one
    const weight = slot instanceof ChunkRun ? runWeight(slot) : weightOf(slot);
    this.#heldBytes -= weight;
    this.#droppedBytes += weight;
    this.#slots[this.#head++] = undefined;
    if (this.#head < 1024 || this.#head * 2 < this.#slots.length) return;
    this.#slots = this.#slots.slice(this.#head);
    this.#head = 0;
  }

  /** The last slot that begins at or before that number. */
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
  return slot instanceof ChunkRun ? slot.firstSeq : slot.seq;
}

function runWeight(run: ChunkRun): number {
  return EVENT_BYTES + run.chunkBytes + run.count * PLACE_BYTES;
}

/** What an event holds in memory, about. Says the same for the same event at any time. */
function weightOf(event: FlowEvent): number {
  if (event instanceof CapturedFrame) return EVENT_BYTES + event.length;
  switch (event.kind) {
    case 'frame':
      return EVENT_BYTES + event.payload.length + (event.tail?.length ?? 0);
    case 'state':
      return EVENT_BYTES + (event.reason?.length ?? 0);
    case 'spawn':
      return EVENT_BYTES + event.command.length;
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
