// The events of all streams of one session, kept for a client that comes back with the id of the last one that it has.
// Bounded: the oldest go first. An id names the stream and the place in it.

interface Kept {
  stream: number;
  place: number;
  data: string;
}

export interface Missed {
  stream: number;
  events: { id: string; data: string }[];
}

export class EventLog {
  readonly #events: Kept[] = [];
  readonly #places = new Map<number, number>();
  readonly #maxChars: number;
  #chars = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  add(stream: number, data: string): string {
    const place = (this.#places.get(stream) ?? 0) + 1;
    this.#places.set(stream, place);
    this.#events.push({ stream, place, data });
    this.#chars += data.length;
    while (this.#chars > this.#maxChars && this.#events.length > 1) this.#chars -= this.#events.shift()!.data.length;
    return `${stream}-${place}`;
  }

  /** What followed an event on its stream; undefined for an id that is unknown or whose successors are gone. */
  after(id: string): Missed | undefined {
    const [stream, place] = id.split('-').map(Number) as [number, number];
    const last = this.#places.get(stream);
    if (last === undefined || !Number.isSafeInteger(place) || place < 0 || place > last) return undefined;
    const events = this.#events.filter((event) => event.stream === stream && event.place > place);
    if (events.length !== last - place) return undefined;
    return { stream, events: events.map((event) => ({ id: `${stream}-${event.place}`, data: event.data })) };
  }

  /** The stream is over and its answer has been taken. */
  forget(stream: number): void {
    this.#places.delete(stream);
    for (let at = this.#events.length - 1; at >= 0; at--) {
      if (this.#events[at]!.stream === stream) this.#chars -= this.#events.splice(at, 1)[0]!.data.length;
    }
  }
}
