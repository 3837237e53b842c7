// Frames of one fixed length. A shorter payload is padded, and the receiver strips the padding. A payload that ends
// with the padding byte would arrive shorter, so it is refused.

import { UsageError } from '../../base/errors.ts';
import { CountedPayload } from './counted-payload.ts';
import { decoderOf, type FrameScanner } from './decoder.ts';
import { type FrameSink, type Framing, LARGEST_MAX_FRAME_BYTES } from './framing.ts';

export interface FixedLengthOptions {
  frameBytes: number;
  /** The byte that fills up a frame. Default: a space. */
  padding?: number;
}

const SPACE = 0x20;

export function fixedLength({ frameBytes, padding = SPACE }: FixedLengthOptions): Framing {
  if (!Number.isInteger(frameBytes) || frameBytes < 1 || frameBytes > LARGEST_MAX_FRAME_BYTES) {
    throw new UsageError('INVALID_OPTION', `frameBytes must be an integer from 1 to ${LARGEST_MAX_FRAME_BYTES}`);
  }
  if (!Number.isInteger(padding) || padding < 0 || padding > 0xff) {
    throw new UsageError('INVALID_OPTION', 'padding must be one byte: an integer from 0 to 255');
  }
  return {
    name: `fixed-length:${frameBytes}`,
    decoder: (options) =>
      decoderOf((max) => {
        if (frameBytes <= max) return new FixedLengthScanner(frameBytes, padding);
        throw new UsageError('INVALID_OPTION', `Frames of ${frameBytes} bytes can never pass a limit of ${max}`);
      }, options),
    encode(payload) {
      if (payload.length > frameBytes) {
        throw new UsageError('PAYLOAD_TOO_LONG', `${payload.length} bytes do not fit into a frame of ${frameBytes}`);
      }
      if (payload.length > 0 && payload[payload.length - 1] === padding) {
        throw new UsageError('PAYLOAD_HAS_DELIMITER', 'A payload must not end with the padding byte');
      }
      const frame = new Uint8Array(frameBytes).fill(padding, payload.length);
      frame.set(payload);
      return frame;
    },
  };
}

class FixedLengthScanner implements FrameScanner {
  readonly #frameBytes: number;
  readonly #padding: number;
  readonly #frame: CountedPayload;

  constructor(frameBytes: number, padding: number) {
    this.#frameBytes = frameBytes;
    this.#padding = padding;
    this.#frame = new CountedPayload(frameBytes);
  }

  get heldBytes(): number {
    return this.#frame.heldBytes;
  }

  scan(chunk: Uint8Array, from: number, chunkOffset: number, sink: FrameSink): void {
    const trimming: FrameSink = {
      frame: (bytes, offset) => sink.frame(this.#trim(bytes), offset),
      fault: (fault) => sink.fault(fault),
    };
    let at = from;
    while (at < chunk.length) {
      if (!this.#frame.isOpen) this.#frame.announce(this.#frameBytes, chunkOffset + at);
      at = this.#frame.feed(chunk, at, trimming);
    }
  }

  finish(sink: FrameSink): void {
    this.#frame.finish(sink);
  }

  #trim(bytes: Uint8Array): Uint8Array {
    let end = bytes.length;
    while (end > 0 && bytes[end - 1] === this.#padding) end--;
    return bytes.subarray(0, end);
  }
}
