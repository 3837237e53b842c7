// The texts of frames that lie in one chunk. A chunk of ASCII with several frames is decoded once, and each text is a part of
// it: a call of the decoder for each frame took a twentieth of the time. A text keeps the whole chunk alive, so it is for
// parsing, not for keeping.

import { decodeText } from '../base/decode-text.ts';

/** A longer chunk is decoded frame by frame. */
const LARGEST_CHUNK_BYTES = 128 * 1024;
/** So much behind a frame means that others follow. */
const SMALLEST_REST_BYTES = 64;
/** A line feed, or a carriage return and a line feed. */
const DELIMITER_BYTES = 2;
/** After a chunk that was not ASCII, so many are decoded frame by frame. */
const SKIPPED_CHUNKS = 16;

export class ChunkText {
  #chunk: Uint8Array | undefined;
  #text = '';
  #skipped = SKIPPED_CHUNKS;

  /** The text of chunk[start, end). Frames come in their order. */
  of(chunk: Uint8Array, start: number, end: number): string {
    const restBytes = chunk.length - end;
    if (chunk !== this.#chunk) {
      this.#forget();
      if (restBytes < SMALLEST_REST_BYTES || !this.#decode(chunk)) return decodeText(chunk, start, end);
    }
    const text = this.#text.slice(start, end);
    if (restBytes <= DELIMITER_BYTES) this.#forget();
    return text;
  }

  #decode(chunk: Uint8Array): boolean {
    if (chunk.length > LARGEST_CHUNK_BYTES || this.#skipped++ < SKIPPED_CHUNKS) return false;
    const text = decodeText(chunk);
    // As many characters as bytes: each byte is a character, and the place of one is the place of the other.
    if (text.length !== chunk.length) {
      this.#skipped = 0;
      return false;
    }
    this.#chunk = chunk;
    this.#text = text;
    return true;
  }

  #forget(): void {
    this.#chunk = undefined;
    this.#text = '';
  }
}
