// Messages that are written together: one string if the framing can be encoded as text, otherwise a list of frames.

import { escapeLineSeparators } from '../../base/to-json.ts';
import type { Framing } from '../framing/framing.ts';

export interface Waiter {
  resolve: () => void;
  reject: (error: Error) => void;
}

export class OutboundBatch {
  /** Size counted in the queue, and the part of it that belongs to never-refused messages. */
  chars = 0;
  keptChars = 0;
  /** True if the `send` of a message in this batch has already resolved. */
  promised = false;
  waiters: Waiter[] | undefined;
  readonly #framing: Framing;
  #text = '';
  #frames: Uint8Array[] | undefined;
  /**
   * Start and end of each message in the text. Set only if there is an observer, which then shares the written bytes.
   */
  #places: number[] | undefined;

  constructor(framing: Framing, isObserved: boolean) {
    this.#framing = framing;
    this.#places = isObserved ? [] : undefined;
  }

  /** Throws if the framing cannot encode the message. */
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

  /** The data to write. A text of up to `mostChars` stays a string, unless an observer needs its bytes too. */
  encoded(mostChars: number): string | Uint8Array {
    const frames = this.#frames;
    if (frames) return frames.length === 1 ? frames[0]! : Buffer.concat(frames);
    this.#escape();
    return this.#text.length <= mostChars && !this.#places ? this.#text : Buffer.from(this.#text);
  }

  /** Escapes once per batch: a search flattens a concatenated string, which the write does anyway. */
  #escape(): void {
    const text = this.#text;
    const escaped = escapeLineSeparators(text);
    if (escaped.length === text.length) return;
    this.#text = escaped;
    this.#places &&= mapPlaces(this.#places, text, (part) => escapeLineSeparators(part).length);
  }

  /** Passes the messages to an observer. `written`: the data returned by `encoded`. */
  show(written: string | Uint8Array, onWrite: (chunk: Uint8Array, places: number[]) => void): void {
    const text = this.#text;
    const chunk = typeof written === 'string' || this.#frames ? Buffer.from(text) : written;
    const places = this.#places ?? [];
    onWrite(chunk, chunk.length === text.length ? places : mapPlaces(places, text, Buffer.byteLength));
  }
}

/** Maps offsets in a text to offsets in another encoding of it. */
function mapPlaces(places: readonly number[], text: string, lengthOf: (part: string) => number): number[] {
  let from = 0;
  let length = 0;
  return places.map((place) => {
    length += lengthOf(text.slice(from, place));
    from = place;
    return length;
  });
}
