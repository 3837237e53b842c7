// The interface of all codecs, which split bytes into frames. A codec must not know about JSON, streams or time. A
// decoder never throws because of bytes that a peer sent.

export type FrameFaultCode = 'FRAME_TOO_LONG' | 'FRAME_TRUNCATED' | 'FRAME_LENGTH_INVALID';

/**
 * Bytes that did not become a frame. Decoding continues after them. `offset`, `length` and `prefix` describe the
 * payload, as in `frame()`; if a header is bad or cut off, they describe the bytes of that header.
 */
export interface FrameFault {
  code: FrameFaultCode;
  /** The position where the bad frame began, counted from the first byte of the stream. */
  offset: number;
  /** The length in bytes: the full length, seen or announced, if the frame was too long; the bytes received if it was cut off. */
  length: number;
  /** The first bytes, at most `PREFIX_BYTES`: enough to find the `id` of the request that fails. */
  prefix: Uint8Array;
}

/**
 * The first error that a sink throws is rethrown by `push` or `end` after the whole chunk was read. A chunk that the
 * sink pushes is read after the current one.
 */
export interface FrameSink {
  /**
   * A whole frame without its delimiter or header, as a view that is valid until the sink returns. `offset` is the
   * position of its first byte, counted from the first byte of the stream.
   */
  frame(bytes: Uint8Array, offset: number): void;
  /**
   * Called instead of `frame`, for sinks that do not need a view: the frame is chunk[start, end). On a busy pipe,
   * creating a view per frame is the largest cost.
   */
  span?(chunk: Uint8Array, start: number, end: number, offset: number): void;
  fault(fault: FrameFault): void;
  /** Set only if the sink can never throw: it is then called without a guard. */
  readonly neverThrows?: true;
}

export interface FrameDecoder {
  /** The chunk may be kept by reference until its frames are complete, so it must not be modified afterwards. */
  push(chunk: Uint8Array, sink: FrameSink): void;
  /** Ends the stream and reports a frame that was cut off. The decoder can then be used for a new stream. */
  end(sink: FrameSink): void;
  /** Bytes kept alive between two pushes, including slack: at most the limit, one chunk and `HELD_EXTRA_BYTES` together. */
  readonly heldBytes: number;
}

export interface FramingOptions {
  /** The maximum length of one frame. */
  maxFrameBytes?: number;
}

export interface Framing {
  readonly name: string;
  decoder(options?: FramingOptions): FrameDecoder;
  /** Returns one frame, ready to be written. Throws a UsageError for a payload that this framing cannot carry. */
  encode(payload: Uint8Array): Uint8Array;
  /**
   * Like `encode`, for compact JSON text if the frame can be built without counting bytes. The frames of one tick are
   * joined as text and encoded once. The frame begins with the JSON itself.
   */
  encodeJson?(json: string): string;
}

export const DEFAULT_MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** The longest string that V8 can hold; a longer frame could never be parsed. */
export const LARGEST_MAX_FRAME_BYTES = 0x1fff_ffe8;

/** How many bytes of a bad frame are kept to identify it. */
export const PREFIX_BYTES = 1024;

/** The bytes that a decoder may hold besides the frame: the prefix of a bad frame, a header line, part of a delimiter. */
export const HELD_EXTRA_BYTES = 12 * 1024;
