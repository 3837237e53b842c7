// The part that all decoders share; the file of a codec only finds boundaries. Checks the limit, counts offsets, skips
// a byte order mark, and permits sinks that throw or push another chunk.

import { UsageError } from '../../base/errors.ts';
import { Delivery } from './delivery.ts';
import {
  DEFAULT_MAX_FRAME_BYTES,
  type FrameDecoder,
  type FrameSink,
  type FramingOptions,
  LARGEST_MAX_FRAME_BYTES,
} from './framing.ts';

/** The part of a decoder that differs per codec: it finds the frame boundaries. */
export interface FrameScanner {
  /** Reads chunk[from…]. `chunkOffset` is the position of chunk[0] in the stream. */
  scan(chunk: Uint8Array, from: number, chunkOffset: number, sink: FrameSink): void;
  /** Reports the frame that the end of the stream cut off, if any. The scanner is discarded afterwards. */
  finish(sink: FrameSink): void;
  readonly heldBytes: number;
}

export interface DecoderTraits {
  /** For text framings: a UTF-8 byte order mark before the first frame is not part of the frame. */
  skipsByteOrderMark?: boolean;
}

const byteOrderMark = Uint8Array.of(0xef, 0xbb, 0xbf);

export function startsWithByteOrderMark(bytes: Uint8Array): boolean {
  return byteOrderMark.every((byte, i) => bytes[i] === byte);
}

export function decoderOf(
  createScanner: (maxFrameBytes: number) => FrameScanner,
  options: FramingOptions = {},
  traits: DecoderTraits = {},
): FrameDecoder {
  const max = options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES;
  if (!Number.isInteger(max) || max < 1 || max > LARGEST_MAX_FRAME_BYTES) {
    throw new UsageError('INVALID_OPTION', `maxFrameBytes must be an integer from 1 to ${LARGEST_MAX_FRAME_BYTES}`);
  }
  return new Decoder(() => createScanner(max), traits.skipsByteOrderMark ? byteOrderMark.length : 0);
}

class Decoder implements FrameDecoder {
  readonly #createScanner: () => FrameScanner;
  readonly #markBytes: number;
  #scanner: FrameScanner;
  #offset = 0;
  /** The number of byte order mark bytes seen; equal to `#markBytes` once the mark was skipped or ruled out. */
  #markSeen = 0;
  /** The sink of the last push, wrapped by a guard: a chunk is read to its end before the first error of the sink is thrown. */
  #guarded: { target: FrameSink; sink: FrameSink } | undefined;
  #failure: { thrown: unknown } | undefined;
  /** Chunks pushed while a sink handled a frame. An in-process stream can deliver the next chunk synchronously. */
  readonly #waiting: { chunk: Uint8Array | undefined; sink: FrameSink }[] = [];
  #reading = false;

  constructor(createScanner: () => FrameScanner, markBytes: number) {
    this.#createScanner = createScanner;
    this.#markBytes = markBytes;
    this.#scanner = createScanner();
  }

  get heldBytes(): number {
    return this.#scanner.heldBytes;
  }

  push(chunk: Uint8Array, sink: FrameSink): void {
    this.#take(chunk, sink);
  }

  end(sink: FrameSink): void {
    this.#take(undefined, sink);
  }

  /** `chunk` is undefined at the end of the stream. */
  #take(chunk: Uint8Array | undefined, sink: FrameSink): void {
    if (this.#reading) return void this.#waiting.push({ chunk, sink });
    this.#reading = true;
    this.#read(chunk, sink);
    while (this.#waiting.length > 0) {
      const next = this.#waiting.shift()!;
      this.#read(next.chunk, next.sink);
    }
    this.#reading = false;
    if (this.#failure) this.#throwFailure(this.#failure.thrown);
  }

  #throwFailure(thrown: unknown): never {
    this.#failure = undefined;
    throw thrown;
  }

  #guard(target: FrameSink): FrameSink {
    if (this.#guarded?.target !== target) {
      const sink = new Delivery(target, undefined, (thrown) => {
        this.#failure ??= { thrown };
      });
      this.#guarded = { target, sink };
    }
    return this.#guarded.sink;
  }

  #read(chunk: Uint8Array | undefined, target: FrameSink): void {
    const sink = target.neverThrows ? target : this.#guard(target);
    if (!chunk) return this.#finish(sink);
    const chunkOffset = this.#offset;
    this.#offset += chunk.length;
    const from = this.#markSeen < this.#markBytes ? this.#passMark(chunk, sink) : 0;
    if (from < chunk.length) this.#scanner.scan(chunk, from, chunkOffset, sink);
  }

  #finish(sink: FrameSink): void {
    if (this.#markSeen < this.#markBytes) this.#scanMarkSeen(sink);
    this.#scanner.finish(sink);
    this.#scanner = this.#createScanner();
    this.#offset = 0;
    this.#markSeen = 0;
  }

  /** Returns how many bytes of the chunk belong to the mark. Bytes that only began like a mark go to the scanner. */
  #passMark(chunk: Uint8Array, sink: FrameSink): number {
    let from = 0;
    let seen = this.#markSeen;
    while (from < chunk.length && seen < this.#markBytes && chunk[from] === byteOrderMark[seen]) {
      from++;
      seen++;
    }
    if (seen < this.#markBytes && from < chunk.length) {
      this.#scanMarkSeen(sink);
      this.#markSeen = this.#markBytes;
      return 0;
    }
    this.#markSeen = seen;
    return from;
  }

  #scanMarkSeen(sink: FrameSink): void {
    if (this.#markSeen > 0) this.#scanner.scan(byteOrderMark.slice(0, this.#markSeen), 0, 0, sink);
  }
}
