// The events of all streams of one session, kept for a client that reconnects with its last event id, and messages that have not been sent
// on any stream. Bounded: the oldest events are dropped first, and an event above the limit is not kept at all. An event id contains the
// stream and the position in it.

import type { KeptShare } from './kept-events.ts';

interface Kept {
  stream: Stream;
  place: number;
  data: string;
  /** Links in the order of the log. */
  older: Kept | undefined;
  newer: Kept | undefined;
  /** Link in the order of the stream. */
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

/** Includes an overhead, because an event without data takes memory too. */
const sizeOf = (data: string) => data.length + 96;

/** Equal to the limit of pending data on an open stream. */
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

  /** Called by `KeptEvents` only. */
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

  /**
   * The events that followed an event on its stream. Undefined for an unknown id or if the following events were
   * dropped.
   */
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

  /** Called when the stream has ended and its answer was received. */
  forget(number: number): void {
    for (let kept = this.#streams.get(number)?.oldest; kept; kept = kept.next) this.#unlink(kept);
    this.#streams.delete(number);
  }

  /** Drops the older half, and at least one event. */
  dropHalf(): void {
    const until = this.#chars / 2;
    do this.#dropOldest();
    while (this.#chars > until);
  }

  /**
   * Keeps a message until the client opens a stream for it. Returns false if the limit is reached and the message is
   * not kept.
   */
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
