// A length followed by that many bytes, so any payload passes, including an empty one. The length is four bytes in
// either byte order, or eight hexadecimal digits that a person can read. The payload is never examined.

import { UsageError } from '../../base/errors.ts';
import { CountedPayload } from './counted-payload.ts';
import { decoderOf, type FrameScanner } from './decoder.ts';
import type { FrameSink, Framing } from './framing.ts';
import { HEX_DIGITS, HexLength } from './hex-length.ts';

export type LengthFormat = 'uint32be' | 'uint32le' | 'hex';

export interface LengthPrefixOptions {
  format?: LengthFormat;
}

/** Finds the next length in a stream. */
export interface LengthReader {
  /** -1 until a length has been read. */
  readonly length: number;
  /** Reads chunk[from…] up to the end of a length and returns the index after it. */
  feed(chunk: Uint8Array, from: number, chunkOffset: number, sink: FrameSink): number;
  finish(sink: FrameSink): void;
  readonly heldBytes: number;
}

const UINT32_BYTES = 4;
const UINT32_MAX = 0xffff_ffff;

const formats = {
  uint32be: { name: 'length-prefix', headerBytes: UINT32_BYTES, reader: () => new Uint32Length(false) },
  uint32le: { name: 'length-prefix-le', headerBytes: UINT32_BYTES, reader: () => new Uint32Length(true) },
  hex: { name: 'length-prefix-hex', headerBytes: HEX_DIGITS, reader: () => new HexLength() },
} as const;

export function lengthPrefix(options: LengthPrefixOptions = {}): Framing {
  const format = options.format ?? 'uint32be';
  if (!Object.hasOwn(formats, format)) {
    throw new UsageError('INVALID_OPTION', `The format of a length must be one of ${Object.keys(formats).join(', ')}`);
  }
  const { name, headerBytes, reader } = formats[format];
  return {
    name,
    decoder: (options) => decoderOf((max) => new LengthPrefixScanner(max, reader()), options),
    encode(payload) {
      if (payload.length > UINT32_MAX) {
        throw new UsageError(
          'PAYLOAD_TOO_LONG',
          `A payload of ${payload.length} bytes is too long for a 32-bit length`,
        );
      }
      const frame = new Uint8Array(headerBytes + payload.length);
      if (format === 'hex') {
        frame.set(new TextEncoder().encode(payload.length.toString(16).padStart(HEX_DIGITS, '0')));
      } else {
        new DataView(frame.buffer).setUint32(0, payload.length, format === 'uint32le');
      }
      frame.set(payload, headerBytes);
      return frame;
    },
  };
}

class LengthPrefixScanner implements FrameScanner {
  readonly #reader: LengthReader;
  readonly #payload: CountedPayload;

  constructor(maxFrameBytes: number, reader: LengthReader) {
    this.#reader = reader;
    this.#payload = new CountedPayload(maxFrameBytes);
  }

  get heldBytes(): number {
    return this.#reader.heldBytes + this.#payload.heldBytes;
  }

  scan(chunk: Uint8Array, from: number, chunkOffset: number, sink: FrameSink): void {
    let at = from;
    while (at < chunk.length) {
      if (!this.#payload.isOpen) {
        at = this.#reader.feed(chunk, at, chunkOffset, sink);
        if (this.#reader.length >= 0) this.#payload.announce(this.#reader.length, chunkOffset + at);
      }
      if (this.#payload.isOpen) at = this.#payload.feed(chunk, at, sink);
    }
  }

  finish(sink: FrameSink): void {
    if (this.#payload.isOpen) this.#payload.finish(sink);
    else this.#reader.finish(sink);
  }
}

/** Any four bytes are a valid length. */
class Uint32Length implements LengthReader {
  readonly heldBytes = UINT32_BYTES;
  readonly #littleEndian: boolean;
  readonly #bytes = new Uint8Array(UINT32_BYTES);
  readonly #view = new DataView(this.#bytes.buffer);
  #seen = 0;
  #offset = 0;
  length = -1;

  constructor(littleEndian: boolean) {
    this.#littleEndian = littleEndian;
  }

  feed(chunk: Uint8Array, from: number, chunkOffset: number): number {
    let at = from;
    if (this.#seen === 0) this.#offset = chunkOffset + from;
    while (at < chunk.length && this.#seen < UINT32_BYTES) this.#bytes[this.#seen++] = chunk[at++]!;
    const whole = this.#seen === UINT32_BYTES;
    this.length = whole ? this.#view.getUint32(0, this.#littleEndian) : -1;
    if (whole) this.#seen = 0;
    return at;
  }

  finish(sink: FrameSink): void {
    if (this.#seen === 0) return;
    const prefix = this.#bytes.slice(0, this.#seen);
    sink.fault({ code: 'FRAME_TRUNCATED', offset: this.#offset, length: prefix.length, prefix });
  }
}
