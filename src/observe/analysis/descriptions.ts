// Descriptions of the frames of one store, kept by sequence number: the store returns a new
// object each time, so the object cannot be the key. Bounded in bytes; the oldest are dropped and made again when needed.

import type { FrameEvent } from '../flow/event.ts';
import { describeFrame, type FrameDescription, type MessageDescription } from './describe-frame.ts';

/** Approximate memory of a description and of a message in it, without their strings. */
const DESCRIPTION_BYTES = 150;
const MESSAGE_BYTES = 150;

export class Descriptions {
  readonly #maxBytes: number;
  readonly #bySeq = new Map<number, FrameDescription>();
  /** Kept between calls: a new iterator would step over all entries deleted before. */
  #oldestFirst = this.#bySeq.entries();
  #heldBytes = 0;

  constructor(maxBytes = 16 * 1024 * 1024) {
    this.#maxBytes = maxBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  of(frame: FrameEvent): FrameDescription {
    const known = this.#bySeq.get(frame.seq);
    if (known) return known;
    const description = describeFrame(frame);
    this.#bySeq.set(frame.seq, description);
    this.#heldBytes += weightOf(description);
    while (this.#heldBytes > this.#maxBytes) this.#dropOldest();
    return description;
  }

  #dropOldest(): void {
    const { value, done } = this.#oldestFirst.next();
    if (done) {
      this.#oldestFirst = this.#bySeq.entries();
      return;
    }
    const [seq, oldest] = value;
    this.#bySeq.delete(seq);
    this.#heldBytes -= weightOf(oldest);
  }
}

function weightOf({ messages, noise = '' }: FrameDescription): number {
  return messages.reduce((sum, message) => sum + messageWeight(message), DESCRIPTION_BYTES + noise.length);
}

function messageWeight({ method, id, tool, progressToken, cancels, error, problem }: MessageDescription): number {
  const texts = [method, id, tool, progressToken, cancels, error?.message, problem];
  return texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), MESSAGE_BYTES);
}
