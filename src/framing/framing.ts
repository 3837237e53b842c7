// How bytes become frames: the one interface of all codecs. A codec knows bytes and boundaries; it does not know JSON,
// streams or time. A decoder never throws for anything that a peer can send.

export type FrameFaultCode = 'FRAME_TOO_LONG' | 'FRAME_TRUNCATED' | 'FRAME_LENGTH_INVALID';

/**
 * Bytes that did not become a frame. Decoding goes on behind them. `offset`, `length` and `prefix` speak of the payload,
 * as `frame()` does; where a header itself is bad or cut off, of the bytes of that header.
 */
export interface FrameFault {
  code: FrameFaultCode;
  /** Where the bad frame began, counted from the first byte of the stream. */
  offset: number;
  /** How many bytes it had: all of them if it was too long (seen or announced), those that came if it was cut off. */
  length: number;
  /** Its first bytes, at most `PREFIX_BYTES`: enough to find the `id` of the request that fails. */
  prefix: Uint8Array;
}

/**
 * What a sink throws first goes up from `push` or `end`, after the whole chunk was read. A chunk that it pushes in turn is
 * read after this one.
 */
export interface FrameSink {
  /**
   * A whole frame without its delimiter or header. A view: valid until the sink returns. `offset` is the place of its
   * first byte, counted from the first byte of the stream.
   */
  frame(bytes: Uint8Array, offset: number): void;
  /**
   * Instead of `frame`, for a sink that can do without a view: the frame is chunk[start, end). On a busy pipe a view a
   * frame is what costs most.
   */
  span?(chunk: Uint8Array, start: number, end: number, offset: number): void;
  fault(fault: FrameFault): void;
  /** Set where that is certain: such a sink is called without a guard before it. */
  readonly neverThrows?: true;
}

export interface FrameDecoder {
  /** The chunk may be kept by reference until its frames are whole: it must not be written to afterwards. */
  push(chunk: Uint8Array, sink: FrameSink): void;
  /** The stream has ended: reports what was cut off. The decoder is fresh afterwards. */
  end(sink: FrameSink): void;
  /** Bytes kept alive between two pushes, slack included: never more than the limit, one chunk and `HELD_EXTRA_BYTES`. */
  readonly heldBytes: number;
}

export interface FramingOptions {
  /** The most bytes one frame may have. */
  maxFrameBytes?: number;
}

export interface Framing {
  readonly name: string;
  decoder(options?: FramingOptions): FrameDecoder;
  /** One frame, ready to be written. Throws a UsageError for a payload that this framing cannot carry. */
  encode(payload: Uint8Array): Uint8Array;
  /**
   * The same for compact JSON text, where the frame can be built without counting bytes; such frames of one tick are
   * joined as text and encoded once. The frame begins with the JSON itself.
   */
  encodeJson?(json: string): string;
}

export const DEFAULT_MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** The longest string that V8 can hold; a longer frame could never be parsed. */
export const LARGEST_MAX_FRAME_BYTES = 0x1fff_ffe8;

/** How much of a bad frame is kept to identify it. */
export const PREFIX_BYTES = 1024;

/** What a decoder may hold beside the frame itself: the prefix of a bad one, a header line, half a delimiter. */
export const HELD_EXTRA_BYTES = 12 * 1024;
