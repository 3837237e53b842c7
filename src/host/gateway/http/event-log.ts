// The events of all streams of one session, kept for a client that reconnects with its last event id, and messages that have not been sent
// on any stream. Bounded: the oldest events are dropped first, and an event above the limit is not kept at all. An event id contains the
// stream and the position in it.

/** Limit of unsent messages, as a fraction of the limit of events. */
const UNSENT_PART = 1 / 4;
/** Fraction of the limit that remains after events were dropped. Dropping in larger steps limits the number of searches for the largest log. */
const LEFT_PART = 7 / 8;

/** The events kept for all sessions or, with a `parent`, for the sessions of one principal. Unsent messages are counted separately and never displace events. */
export class KeptEvents {
  chars = 0;
  unsentChars = 0;
  /** The shares of the principals; in the share of one principal, its logs. */
  readonly parts = new Set<KeptEvents | EventLog>();
  readonly #maxChars: number;
  readonly #parent: KeptEvents | undefined;
  readonly #byPrincipal = new Map<string | undefined, KeptEvents>();

  constructor(maxChars: number, parent?: KeptEvents) {
    this.#maxChars = maxChars;
    this.#parent = parent;
  }

  /** A named principal keeps at most half of the limit. */
  open(principal: string | undefined, maxChars: number): EventLog {
    const maxShare = principal === undefined ? this.#maxChars : this.#maxChars / 2;
    const share = this.#byPrincipal.get(principal) ?? new KeptEvents(maxShare, this);
    this.#byPrincipal.set(principal, share);
    this.parts.add(share);
    const log = new EventLog(maxChars, share, () => {
      share.parts.delete(log);
      if (share.parts.size > 0) return;
      this.#byPrincipal.delete(principal);
      this.parts.delete(share);
    });
    share.parts.add(log);
    return log;
  }

  /** `more` may be negative. */
  count(more: number): void {
    this.chars += more;
    this.#parent?.count(more);
  }

  countUnsent(more: number): void {
    this.unsentChars += more;
    this.#parent?.countUnsent(more);
  }

  hasRoomForUnsent(more: number): boolean {
    const fits = this.unsentChars + more <= this.#maxChars * UNSENT_PART;
    return fits && (this.#parent?.hasRoomForUnsent(more) ?? true);
  }

  makeRoom(): void {
    if (this.chars > this.#maxChars) while (this.chars > this.#maxChars * LEFT_PART) this.shorten();
    this.#parent?.makeRoom();
  }

  /** Drops events of the largest part. */
  shorten(): void {
    let largest: KeptEvents | EventLog | undefined;
    for (const part of this.parts) if (part.chars > (largest?.chars ?? 0)) largest = part;
    largest?.shorten();
  }
}

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

interface Missed {
  stream: number;
  events: { id: string; data: string }[];
  chars: number;
}

/** The memory of an event, with an overhead, because an event without data takes memory too. */
const sizeOf = (data: string) => data.length + 96;

/** The limit equals the limit of pending data on an open stream. */
const MOST_UNSENT_CHARS = 1024 * 1024;

export class EventLog {
  readonly #share: KeptEvents;
  readonly #streams = new Map<number, Stream>();
  readonly #maxChars: number;
  readonly #onclose: () => void;
  #oldest: Kept | undefined;
  #newest: Kept | undefined;
  #chars = 0;
  #unsent: string[] = [];
  #unsentChars = 0;
  #isOpen = true;

  constructor(maxChars: number, share: KeptEvents, onclose: () => void) {
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

  /** The events that followed an event on its stream. Undefined for an unknown id, or if one of them was dropped. */
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
  shorten(): void {
    const until = this.#chars / 2;
    do this.#dropOldest();
    while (this.#chars > until);
  }

  /** Keeps a message until the client opens a stream for it. Returns false if the limit prevents that. */
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
