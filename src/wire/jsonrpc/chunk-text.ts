// Returns the texts of frames that lie in one chunk. An ASCII chunk with several frames is decoded once and sliced:
// calling the decoder for each frame took a twentieth of the total time. A slice keeps the text of the whole chunk
// alive, so it must only be parsed, not kept.

import { decodeText } from '../../base/decode-text.ts';

/** A longer chunk is decoded frame by frame. */
const LARGEST_CHUNK_BYTES = 128 * 1024;
/** At least this many bytes after a frame suggest that more frames follow. */
const SMALLEST_REST_BYTES = 64;
/** The length of CRLF, the longest delimiter. */
const DELIMITER_BYTES = 2;
/** After a chunk that was not ASCII, this many chunks are decoded frame by frame. */
const SKIPPED_CHUNKS = 16;

export class ChunkText {
  #chunk: Uint8Array | undefined;
  #text = '';
  #skipped = SKIPPED_CHUNKS;

  /** The text of chunk[start, end). Frames must be passed in order. */
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
    // Equal lengths mean that every byte is one character, so byte offsets are character offsets.
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
