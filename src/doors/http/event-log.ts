// The events of all streams of one session, kept for a client that comes back with the id of the last one that it has, and the
// messages that no stream has taken yet. Bounded: the oldest events go first, and an event above the limit is not kept at all.
// An id names the stream and the place in it.

import type { KeptShare } from './kept-events.ts';

interface Kept {
  stream: Stream;
  place: number;
  data: string;
  /** In the log. */
  older: Kept | undefined;
  newer: Kept | undefined;
  /** In its stream. */
  next: Kept | undefined;
}

interface Stream {
  lastPlace: number;
  oldest: Kept | undefined;
  newest: Kept | undefined;
}

export interface Missed {
  stream: number;
  events: { id: string; data: string }[];
  chars: number;
}

/** An event without data takes memory too. */
const sizeOf = (data: string) => data.length + 96;

/** As much as may wait on a stream that is open. */
const MOST_UNSENT_CHARS = 1024 * 1024;

export class EventLog {
  readonly #share: KeptShare;
  readonly #streams = new Map<number, Stream>();
  readonly #maxChars: number;
  readonly #onclose: () => void;
  #oldest: Kept | undefined;
  #newest: Kept | undefined;
  #chars = 0;
  #unsent: string[] = [];
  #unsentChars = 0;
  #isOpen = true;

  /** Made by `KeptEvents`. */
  constructor(maxChars: number, share: KeptShare, onclose: () => void) {
    this.#maxChars = maxChars;
    this.#share = share;
    this.#onclose = onclose;
  }

  get chars(): number {
    return this.#chars;
  }

  fits(data: string): boolean {
    return sizeOf(data) <= this.#maxChars;
  }

  add(number: number, data: string): string {
    let stream = this.#streams.get(number);
    if (!stream) {
      stream = { lastPlace: 0, oldest: undefined, newest: undefined };
      this.#streams.set(number, stream);
    }
    const place = ++stream.lastPlace;
    if (this.#isOpen && this.fits(data)) {
      this.#link({ stream, place, data, older: this.#newest, newer: undefined, next: undefined });
      while (this.#chars > this.#maxChars) this.#dropOldest();
      this.#share.makeRoom();
    }
    return `${number}-${place}`;
  }

  /** What followed an event on its stream; undefined for an id that is unknown or whose successors are gone. */
  after(id: string): Missed | undefined {
    const [number, place] = id.split('-').map(Number) as [number, number];
    const stream = this.#streams.get(number);
    if (!stream || !Number.isSafeInteger(place) || place < 0 || place > stream.lastPlace) return undefined;
    const missed: Missed = { stream: number, events: [], chars: 0 };
    for (let kept = stream.oldest; kept; kept = kept.next) {
      if (kept.place <= place) continue;
      missed.events.push({ id: `${number}-${kept.place}`, data: kept.data });
      missed.chars += sizeOf(kept.data);
    }
    return missed.events.length === stream.lastPlace - place ? missed : undefined;
  }

  /** The stream is over and its answer has been taken. */
  forget(number: number): void {
    for (let kept = this.#streams.get(number)?.oldest; kept; kept = kept.next) this.#unlink(kept);
    this.#streams.delete(number);
  }

  /** The older half, and at least one. */
  dropHalf(): void {
    const until = this.#chars / 2;
    do this.#dropOldest();
    while (this.#chars > until);
  }

  /** A message for a stream that the client has not opened yet. False: there are too many, and it is not kept. */
  addUnsent(json: string): boolean {
    const more = sizeOf(json);
    const isTooMuch = this.#unsentChars + more > Math.min(this.#maxChars, MOST_UNSENT_CHARS);
    if (isTooMuch || !this.#isOpen || !this.#share.hasRoomForUnsent(more)) return false;
    this.#unsent.push(json);
    this.#countUnsent(more);
    return true;
  }

  takeUnsent(): string[] {
    this.#countUnsent(-this.#unsentChars);
    return this.#unsent.splice(0);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.takeUnsent();
    this.#share.count(-this.#chars);
    this.#share.logs.delete(this);
    this.#onclose();
  }

  #dropOldest(): void {
    const kept = this.#oldest!;
    this.#unlink(kept);
    kept.stream.oldest = kept.next;
    if (!kept.next) kept.stream.newest = undefined;
  }

  #link(kept: Kept): void {
    const { stream } = kept;
    if (this.#newest) this.#newest.newer = kept;
    else this.#oldest = kept;
    this.#newest = kept;
    if (stream.newest) stream.newest.next = kept;
    else stream.oldest = kept;
    stream.newest = kept;
    this.#count(sizeOf(kept.data));
  }

  #unlink(kept: Kept): void {
    const { older, newer } = kept;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
    this.#count(-sizeOf(kept.data));
  }

  #count(more: number): void {
    this.#chars += more;
    if (this.#isOpen) this.#share.count(more);
  }

  #countUnsent(more: number): void {
    this.#unsentChars += more;
    this.#share.countUnsent(more);
  }
}
