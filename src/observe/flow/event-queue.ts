// The events of a store by sequence number, oldest first: a queue with binary search. It counts the memory of its events; the store decides
// when to drop them.

import type { FlowEvent } from './event.ts';
import { lengthOfParts } from './event-fields.ts';
import { FRAME_BYTES, FrameRun } from './frame-run.ts';

/** Approximate memory of an event besides its bytes. */
const EVENT_BYTES = 160;

type Slot = FlowEvent | FrameRun;

export class EventQueue {
  /** Valid from `#head` on; earlier slots were dropped. */
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

  /** The shared data of a run is dropped with its last frame. */
  dropOldest(): void {
    const slot = this.#slots[this.#head]!;
    const seq = this.#firstSeq++;
    const isRun = slot instanceof FrameRun;
    if (isRun && seq < slot.lastSeq) return;
    const weight = isRun ? slot.weight : weightOf(slot);
    this.#heldBytes -= weight;
    this.#droppedBytes += weight;
    this.#slots[this.#head++] = undefined;
    if (this.#head >= 1024 && this.#head * 2 >= this.#slots.length) {
      this.#slots = this.#slots.slice(this.#head);
      this.#head = 0;
    }
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

/** Approximate memory of an event. Recordings and remote hosts choose the lengths of texts. Must be constant for an event. */
function weightOf(event: FlowEvent): number {
  return EVENT_BYTES + event.server.length + lengthOfParts(event);
}
