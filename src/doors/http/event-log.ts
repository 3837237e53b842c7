// The events of all streams of one session, kept for a client that comes back with the id of the last one that it has.
// Bounded: the oldest go first, and an event above the limit is not kept at all. The logs of all sessions are bounded together: then the oldest of the longest log go first. An id
// names the stream and the place in it.

interface Kept {
  stream: number;
  place: number;
  data: string;
}

export interface Missed {
  stream: number;
  events: { id: string; data: string }[];
  chars: number;
}

/** An event without data takes memory too. */
const sizeOf = (data: string) => data.length + 64;

/** What all sessions keep together. */
export class KeptEvents {
  readonly #maxChars: number;
  readonly #logs = new Set<EventLog>();
  #chars = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  get chars(): number {
    return this.#chars;
  }

  get isFull(): boolean {
    return this.#chars > this.#maxChars;
  }

  open(maxChars: number): EventLog {
    const log = new EventLog(maxChars, this);
    this.#logs.add(log);
    return log;
  }

  close(log: EventLog): void {
    this.#logs.delete(log);
    this.#chars -= log.chars;
  }

  /** `more` may be negative. */
  count(more: number): void {
    this.#chars += more;
  }

  /** An eighth at a time, since all logs are looked at. */
  makeRoom(): void {
    if (!this.isFull) return;
    while (this.#chars > this.#maxChars * 0.875) {
      let longest: EventLog | undefined;
      for (const log of this.#logs) if (log.chars > (longest?.chars ?? 0)) longest = log;
      if (!longest) return;
      longest.dropOldest();
    }
  }
}

export class EventLog {
  readonly #kept: KeptEvents;
  readonly #events: Kept[] = [];
  readonly #places = new Map<number, number>();
  readonly #maxChars: number;
  #chars = 0;
  #isOpen = true;

  /** Made by `KeptEvents`. */
  constructor(maxChars: number, kept: KeptEvents) {
    this.#maxChars = maxChars;
    this.#kept = kept;
  }

  get chars(): number {
    return this.#chars;
  }

  fits(data: string): boolean {
    return sizeOf(data) <= this.#maxChars;
  }

  add(stream: number, data: string): string {
    const place = (this.#places.get(stream) ?? 0) + 1;
    this.#places.set(stream, place);
    if (this.fits(data)) {
      this.#events.push({ stream, place, data });
      this.#count(sizeOf(data));
      while (this.#chars > this.#maxChars) this.#count(-sizeOf(this.#events.shift()!.data));
      this.#kept.makeRoom();
    }
    return `${stream}-${place}`;
  }

  /** What followed an event on its stream; undefined for an id that is unknown or whose successors are gone. */
  after(id: string): Missed | undefined {
    const [stream, place] = id.split('-').map(Number) as [number, number];
    const last = this.#places.get(stream);
    if (last === undefined || !Number.isSafeInteger(place) || place < 0 || place > last) return undefined;
    const events = this.#events.filter((event) => event.stream === stream && event.place > place);
    if (events.length !== last - place) return undefined;
    return {
      stream,
      events: events.map((event) => ({ id: `${stream}-${event.place}`, data: event.data })),
      chars: events.reduce((sum, { data }) => sum + sizeOf(data), 0),
    };
  }

  /** The stream is over and its answer has been taken. */
  forget(stream: number): void {
    this.#places.delete(stream);
    for (let at = this.#events.length - 1; at >= 0; at--) {
      if (this.#events[at]!.stream === stream) this.#count(-sizeOf(this.#events.splice(at, 1)[0]!.data));
    }
  }

  /** Half of them, and at least one. */
  dropOldest(): void {
    const until = this.#chars / 2;
    do this.#count(-sizeOf(this.#events.shift()!.data));
    while (this.#chars > until && this.#events.length > 0);
  }

  close(): void {
    this.#kept.close(this);
    this.#isOpen = false;
  }

  #count(more: number): void {
    this.#chars += more;
    if (this.#isOpen) this.#kept.count(more);
  }
}
