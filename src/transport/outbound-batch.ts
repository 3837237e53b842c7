// Messages that are written together: one text where the framing can be written as text, a list of frames otherwise.

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
  readonly #places: number[] | undefined;

  constructor(framing: Framing, isObserved: boolean) {
    this.#framing = framing;
    this.#places = isObserved ? [] : undefined;
  }

  /** Throws for a message that the framing cannot carry. */
  add(json: string): void {
    const start = this.#text.length;
    if (this.#framing.encodeJson) this.#text += this.#framing.encodeJson(json);
    else {
      const frame = this.#framing.encode(Buffer.from(json));
      this.#frames ??= [];
      this.#frames.push(frame);
      if (this.#places) this.#text += json;
    }
    this.#places?.push(start, start + json.length);
  }

  /** What goes onto the pipe. A text of at most `mostChars` stays one, unless an observer needs its bytes too. */
  encoded(mostChars: number): string | Uint8Array {
    const frames = this.#frames;
    if (frames) return frames.length === 1 ? frames[0]! : Buffer.concat(frames);
    return this.#text.length <= mostChars && !this.#places ? this.#text : Buffer.from(this.#text);
  }

  /** The messages for an observer. `written`: what went onto the pipe. */
  show(written: string | Uint8Array, onWrite: (chunk: Uint8Array, places: number[]) => void): void {
    const text = this.#text;
    const chunk = typeof written === 'string' || this.#frames ? Buffer.from(text) : written;
    const places = this.#places ?? [];
    onWrite(chunk, chunk.length === text.length ? places : inBytes(places, text));
  }
}

/** Places in a text as places in its UTF-8. */
function inBytes(places: readonly number[], text: string): number[] {
  let chars = 0;
  let bytes = 0;
  return places.map((place) => {
    bytes += Buffer.byteLength(text.slice(chars, place));
    chars = place;
    return bytes;
  });
}
