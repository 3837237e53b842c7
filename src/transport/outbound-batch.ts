// Messages that are written together: one text where the framing can be written as text, a list of frames otherwise.

import { escapeLineSeparators } from '../base/line-separators.ts';
import type { Framing } from '../framing/framing.ts';

export interface Waiter {
  resolve: () => void;
  reject: (error: Error) => void;
}

export class OutboundBatch {
  /** What it counts for in the queue, and how much of that could not be refused. */
  chars = 0;
  keptChars = 0;
  /** Whether a sender was told that a message of it was sent. */
  promised = false;
  waiters: Waiter[] | undefined;
  readonly #framing: Framing;
  #text = '';
  #frames: Uint8Array[] | undefined;
  /** Where in the text each message begins and ends; only for an observer, which then shares its bytes. */
  #places: number[] | undefined;

  constructor(framing: Framing, isObserved: boolean) {
    this.#framing = framing;
    this.#places = isObserved ? [] : undefined;
  }

  /** Throws for a message that the framing cannot carry. */
  add(json: string): void {
    const start = this.#text.length;
    let text = json;
    if (this.#framing.encodeJson) this.#text += this.#framing.encodeJson(json);
    else {
      text = escapeLineSeparators(json);
      const frame = this.#framing.encode(Buffer.from(text));
      this.#frames ??= [];
      this.#frames.push(frame);
      if (this.#places) this.#text += text;
    }
    this.#places?.push(start, start + text.length);
  }

  /** What goes onto the pipe. A text of at most `mostChars` stays one, unless an observer needs its bytes too. */
  encoded(mostChars: number): string | Uint8Array {
    const frames = this.#frames;
    if (frames) return frames.length === 1 ? frames[0]! : Buffer.concat(frames);
    this.#escape();
    return this.#text.length <= mostChars && !this.#places ? this.#text : Buffer.from(this.#text);
  }

  /** Not for each message: a search copies a text of several parts into one, which the write of all of them does anyway. */
  #escape(): void {
    const text = this.#text;
    const escaped = escapeLineSeparators(text);
    if (escaped.length === text.length) return;
    this.#text = escaped;
    this.#places &&= mapPlaces(this.#places, text, (part) => escapeLineSeparators(part).length);
  }

  /** The messages for an observer. `written`: what went onto the pipe. */
  show(written: string | Uint8Array, onWrite: (chunk: Uint8Array, places: number[]) => void): void {
    const text = this.#text;
    const chunk = typeof written === 'string' || this.#frames ? Buffer.from(text) : written;
    const places = this.#places ?? [];
    onWrite(chunk, chunk.length === text.length ? places : mapPlaces(places, text, Buffer.byteLength));
  }
}

/** Places in a text as places in another form of it. */
function mapPlaces(places: readonly number[], text: string, lengthOf: (part: string) => number): number[] {
  let from = 0;
  let length = 0;
  return places.map((place) => {
    length += lengthOf(text.slice(from, place));
    from = place;
    return length;
  });
}
