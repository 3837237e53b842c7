// Reads a stream into a decoder in turns, so that one busy stream does not delay the others. A turn ends after a time limit or a number of
// bytes; the next begins after one round of the event loop. Meanwhile the rest of a chunk is kept here and the stream is paused. A chunk
// that takes longer than a turn is split at any byte.
//
// A burst is read in one long turn. A stream with constant input gets shorter turns, because the others wait for one turn of each. A reader
// that is alone in the process uses long turns, since each costs a round of the event loop.
//
// Invariants: bytes are decoded in order and once; nothing is decoded while `hold` is in force.

import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import type { FrameDecoder, FrameSink } from '../framing/framing.ts';

const TURN_BYTES = 256 * 1024;
const TURN_ALONE_MS = 4;
const LONGEST_TURN_MS = 0.25;
const SHORTEST_TURN_MS = 0.05;
/** A turn shorter than this ends with the current round of the event loop, so its end is not scheduled. */
const UNCOUNTED_MS = 0.02;
/** A smaller chunk does not fill a read, after which the event loop continues with other streams, so it need not be split into turns. */
const SHORT_BYTES = 4 * 1024;
const FIRST_PIECE_BYTES = 64 * 1024; // a whole chunk, until the speed is known
const SMALLEST_PIECE_BYTES = 512;

/** Number of readers in this process that have not reached their end. */
let readers = 0;

export interface TurnReaderOptions {
  decoder: Pick<FrameDecoder, 'push'>;
  /** Must not throw. */
  sink: FrameSink;
  /** Called with each chunk before it is decoded. Must not throw. */
  arrived?: ((chunk: Uint8Array) => void) | undefined;
  /** Called after the last chunk is decoded. */
  onEnd: () => void;
}

export class TurnReader {
  readonly #input: Readable;
  readonly #clock: Clock;
  readonly #options: TurnReaderOptions;
  #sharedTurnMs = LONGEST_TURN_MS;
  #pieceBytes = FIRST_PIECE_BYTES;
  /** Time and bytes used in the current turn. */
  #usedMs = 0;
  #usedBytes = 0;
  #turnEndIsDue = false;
  #rest: Buffer | undefined;
  #isHeld = false;
  #hasEnded = false;
  #isOver = false;

  /** Starts reading immediately. */
  constructor(input: Readable, clock: Clock, options: TurnReaderOptions) {
    this.#input = input;
    this.#clock = clock;
    this.#options = options;
    readers++;
    input.once('close', this.#inputClosed);
    input.on('data', this.#arrived);
    input.once('end', this.#inputEnded);
    input.resume(); // the caller may have paused the stream
  }

  #arrived = (chunk: Buffer): void => {
    // Other consumers may resume the stream while it should be paused.
    if (this.#rest) this.#keep(Buffer.concat([this.#rest, chunk]));
    else this.#take(chunk, chunk.length < SHORT_BYTES);
  };

  #inputEnded = (): void => {
    this.#hasEnded = true; // the end is emitted even while the stream is paused
    if (!this.#rest) this.#options.onEnd();
  };

  #inputClosed = (): void => {
    readers--;
  };

  /** True if received data is not decoded yet. */
  get hasRest(): boolean {
    return this.#rest !== undefined;
  }

  /** Stops decoding until `release`. */
  hold(): void {
    this.#isHeld = true;
    this.#input.pause();
  }

  release(): void {
    this.#isHeld = false;
    if (!this.#turnEndIsDue) this.#goOn();
  }

  /** Drops the remaining data and everything that still arrives. */
  stop(): void {
    this.#isOver = true;
    this.release();
  }

  /** Removes all listeners from a stream that belongs to the caller, and pauses the stream unless others read it. */
  detach(): void {
    const input = this.#input;
    this.#isOver = true;
    this.#isHeld = true; // the end of a turn must not resume the stream
    if (input.listeners('close').includes(this.#inputClosed)) readers--;
    input.off('close', this.#inputClosed).off('data', this.#arrived).off('end', this.#inputEnded);
    if (input.listenerCount('data') === 0) input.pause();
    else if (input.isPaused()) input.resume();
  }

  #take(chunk: Buffer, isShort = false): void {
    let at = 0;
    while (at < chunk.length && !this.#isOver) {
      if (this.#isHeld || (!isShort && this.#isUsedUp())) return this.#keep(chunk.subarray(at));
      const end = Math.min(chunk.length, at + this.#pieceBytes);
      this.#readPiece(at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end));
      at = end;
    }
    if (!isShort && this.#isUsedUp()) this.#input.pause();
  }

  #readPiece(piece: Buffer): void {
    if (readers === 1 && piece.length < SHORT_BYTES) return this.#decode(piece); // reading the clock costs as much as decoding
    const startMs = this.#clock.nowMs();
    this.#decode(piece);
    const tookMs = this.#clock.nowMs() - startMs;
    this.#usedMs += tookMs;
    this.#usedBytes += piece.length;
    const turnMs = this.#turnMs;
    if (tookMs > turnMs) {
      this.#pieceBytes = Math.max(SMALLEST_PIECE_BYTES, Math.floor((piece.length * turnMs) / tookMs));
    } else if (tookMs < turnMs / 2 && piece.length >= this.#pieceBytes) this.#pieceBytes *= 2;
    if (this.#isUsedUp() || (readers > 1 && this.#usedMs > UNCOUNTED_MS)) this.#endTurnSoon();
  }

  #decode(piece: Buffer): void {
    const { decoder, sink, arrived } = this.#options;
    arrived?.(piece);
    decoder.push(piece, sink);
  }

  get #turnMs(): number {
    return readers > 1 ? this.#sharedTurnMs : TURN_ALONE_MS;
  }

  #isUsedUp(): boolean {
    return this.#usedMs >= this.#turnMs || this.#usedBytes >= TURN_BYTES;
  }

  #keep(rest: Buffer): void {
    this.#rest = rest;
    this.#input.pause();
    if (!this.#isHeld) this.#endTurnSoon();
  }

  #endTurnSoon(): void {
    if (this.#turnEndIsDue) return;
    this.#turnEndIsDue = true;
    setImmediate(this.#turnEnded);
  }

  #turnEnded = (): void => {
    this.#turnEndIsDue = false;
    const nextMs = this.#isUsedUp() ? this.#sharedTurnMs / 2 : this.#sharedTurnMs * 2;
    this.#sharedTurnMs = Math.min(Math.max(nextMs, SHORTEST_TURN_MS), LONGEST_TURN_MS);
    this.#usedMs = 0;
    this.#usedBytes = 0;
    this.#goOn();
  };

  #goOn(): void {
    if (this.#isHeld) return;
    const rest = this.#rest;
    this.#rest = undefined;
    if (!rest) return this.#resume();
    this.#take(rest);
    if (this.#rest) return;
    if (this.#hasEnded) this.#options.onEnd();
    else this.#resume();
  }

  #resume(): void {
    if (!this.#isUsedUp() && this.#input.isPaused()) this.#input.resume();
  }
}

/**
 * Like `TurnReader`, for a stream that has other readers too and is cheap to process: it counts bytes instead of time.
 */
export function readInTurns(stream: Readable): void {
  let usedBytes = 0;
  stream.on('data', (chunk: Buffer) => {
    usedBytes += chunk.length;
    if (usedBytes < TURN_BYTES) return;
    usedBytes = 0;
    stream.pause();
    setImmediate(() => stream.resume());
  });
}
