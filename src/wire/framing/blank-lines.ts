// The framing of LiteMCP: a message ends with three consecutive newlines and may itself span lines, so pretty-printed
// JSON passes unchanged. Each newline may be a CRLF. Newlines before a message and a byte order mark at the start are
// skipped. `indexOf` searches for LF; only the newlines between two messages are examined one by one.

import { UsageError } from '../../base/errors.ts';
import { decoderOf, type FrameScanner } from './decoder.ts';
import { type FrameDecoder, type FrameSink, type Framing, LARGEST_MAX_FRAME_BYTES } from './framing.ts';
import { PartialFrame } from './partial-frame.ts';

const LF = 0x0a;
const CR = 0x0d;
const DELIMITER_NEWLINES = 3;
/** The longest incomplete delimiter: `\r\n\r\n\r`. */
const PARTIAL_DELIMITER_BYTES = 5;

export function blankLines(): Framing {
  return {
    name: 'blank-lines',
    decoder: (options) => decoderOf((max) => new BlankLinesScanner(max), options, { skipsByteOrderMark: true }),
    encode(payload) {
      const message = new Uint8Array(payload.length + DELIMITER_NEWLINES).fill(LF, payload.length);
      message.set(payload);
      if (!arrivesWhole(message, payload.length)) {
        throw new UsageError(
          'PAYLOAD_HAS_DELIMITER',
          'A payload must not be empty, contain three newlines in a row, begin or end with a newline or a carriage return, ' +
            'or begin with a byte order mark',
        );
      }
      return message;
    },
    encodeJson: (json) => `${json}\n\n\n`,
  };
}

/** Runs the decoder on the encoded message: a payload that would not arrive as exactly one frame is refused. */
function arrivesWhole(message: Uint8Array, payloadBytes: number): boolean {
  const lengths: number[] = [];
  const decoder: FrameDecoder = blankLines().decoder({ maxFrameBytes: LARGEST_MAX_FRAME_BYTES });
  const sink: FrameSink = { frame: (bytes) => lengths.push(bytes.length), fault: () => lengths.push(-1) };
  decoder.push(message, sink);
  decoder.end(sink);
  return lengths.length === 1 && lengths[0] === payloadBytes;
}

class BlankLinesScanner implements FrameScanner {
  /** The message that the last chunk left incomplete. The positions below count from its first byte. */
  readonly #open: PartialFrame;
  /** The number of consecutive newlines at the end of the bytes read so far. */
  #newlines = 0;
  /** The position where these newlines begin: the length of the message if they become a delimiter. */
  #contentLength = 0;
  /** The position after the last of these newlines. Meaningless while `#newlines` is 0. */
  #afterNewline = 0;

  constructor(maxFrameBytes: number) {
    this.#open = new PartialFrame(maxFrameBytes, PARTIAL_DELIMITER_BYTES);
  }

  get heldBytes(): number {
    return this.#open.heldBytes;
  }

  scan(chunk: Uint8Array, from: number, chunkOffset: number, sink: FrameSink): void {
    let start = this.#open.length > 0 ? from : this.#begin(chunk, from, chunkOffset);
    let at = start;
    while (at < chunk.length) {
      const newline = chunk.indexOf(LF, at);
      if (newline < 0) break;
      at = newline + 1;
      const before = newline > start ? chunk[newline - 1]! : this.#open.lastByte;
      this.#count(this.#open.length + newline - start, before === CR);
      if (this.#newlines < DELIMITER_NEWLINES) continue;
      this.#open.finish(this.#contentLength, chunk, start, newline, sink);
      start = this.#begin(chunk, at, chunkOffset);
      at = start;
    }
    this.#open.add(chunk, start, chunk.length);
  }

  finish(sink: FrameSink): void {
    const { length, lastByte } = this.#open;
    if (length === 0) return;
    const endsWithCr = lastByte === CR;
    if (this.#rowGoesOn(length, endsWithCr)) this.#open.cut(this.#contentLength, sink);
    else this.#open.cut(endsWithCr ? length - 1 : length, sink);
  }

  /** Skips the newlines before a message. Returns the index where the message begins. */
  #begin(chunk: Uint8Array, from: number, chunkOffset: number): number {
    let start = from;
    while (chunk[start] === LF || chunk[start] === CR) start++;
    this.#open.beginAt(chunkOffset + start);
    this.#newlines = 0;
    return start;
  }

  #count(position: number, afterCr: boolean): void {
    if (this.#rowGoesOn(position, afterCr)) {
      this.#newlines++;
    } else {
      this.#newlines = 1;
      this.#contentLength = afterCr ? position - 1 : position;
    }
    this.#afterNewline = position + 1;
  }

  /** Whether at most one carriage return lies between the last newline and `position`. */
  #rowGoesOn(position: number, afterCr: boolean): boolean {
    const between = position - this.#afterNewline;
    return this.#newlines > 0 && (between === 0 || (between === 1 && afterCr));
  }
}
