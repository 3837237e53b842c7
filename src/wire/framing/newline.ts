// One frame per line: the framing of MCP over stdio. Lines end with LF or CRLF. Blank lines and a byte order mark at
// the start are skipped. `indexOf` searches for LF (memchr for Node's Buffers); the only loop over bytes covers the
// white space at the start of a line. Must not know about JSON, so a frame may be stray output.

import { UsageError } from '../../base/errors.ts';
import { decoderOf, type FrameScanner, startsWithByteOrderMark } from './decoder.ts';
import type { FrameSink, Framing } from './framing.ts';
import { PartialFrame } from './partial-frame.ts';

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

export function newline(): Framing {
  return {
    name: 'newline',
    decoder: (options) => decoderOf((max) => new NewlineScanner(max), options, { skipsByteOrderMark: true }),
    encode(payload) {
      const why = whyNotALine(payload);
      if (why) throw new UsageError('PAYLOAD_HAS_DELIMITER', `A line cannot carry a payload that ${why}`);
      const line = new Uint8Array(payload.length + 1);
      line.set(payload);
      line[payload.length] = LF;
      return line;
    },
    encodeJson: (json) => `${json}\n`,
  };
}

function whyNotALine(payload: Uint8Array): string | undefined {
  if (payload.indexOf(LF) >= 0) return 'contains a newline';
  if (payload[payload.length - 1] === CR) return 'ends with a carriage return';
  if (isBlank(payload, 0, payload.length)) return 'is blank';
  return startsWithByteOrderMark(payload) ? 'begins with a byte order mark' : undefined;
}

class NewlineScanner implements FrameScanner {
  readonly #maxFrameBytes: number;
  /** The line that the last chunk left incomplete. */
  readonly #open: PartialFrame;
  #openIsBlank = true;

  constructor(maxFrameBytes: number) {
    this.#maxFrameBytes = maxFrameBytes;
    this.#open = new PartialFrame(maxFrameBytes, 1);
  }

  get heldBytes(): number {
    return this.#open.heldBytes;
  }

  scan(chunk: Uint8Array, from: number, chunkOffset: number, sink: FrameSink): void {
    let start = from;
    while (start < chunk.length) {
      const end = chunk.indexOf(LF, start);
      if (end < 0) {
        this.#keep(chunk, start, chunkOffset);
        return;
      }
      if (this.#open.length > 0) this.#finishOpen(chunk, start, end, sink);
      else this.#line(chunk, start, end, chunkOffset, sink);
      start = end + 1;
      while (chunk[start] === LF) start++; // skips a run of blank lines without a search for each
    }
  }

  finish(sink: FrameSink): void {
    const { length, lastByte } = this.#open;
    const content = lastByte === CR ? length - 1 : length;
    if (content > this.#maxFrameBytes || !this.#openIsBlank) this.#open.cut(content, sink);
  }

  /** The usual case: the whole line is inside the chunk. */
  #line(chunk: Uint8Array, start: number, end: number, chunkOffset: number, sink: FrameSink): void {
    const contentEnd = end > start && chunk[end - 1] === CR ? end - 1 : end;
    if (contentEnd - start <= this.#maxFrameBytes) {
      if (isBlank(chunk, start, contentEnd)) return;
      if (sink.span) sink.span(chunk, start, contentEnd, chunkOffset + start);
      else sink.frame(chunk.subarray(start, contentEnd), chunkOffset + start);
      return;
    }
    this.#open.beginAt(chunkOffset + start);
    this.#open.finish(contentEnd - start, chunk, start, contentEnd, sink);
  }

  #finishOpen(chunk: Uint8Array, start: number, end: number, sink: FrameSink): void {
    const lastByte = end > start ? chunk[end - 1] : this.#open.lastByte;
    const total = this.#open.length + end - start;
    const content = lastByte === CR ? total - 1 : total;
    const blank = this.#openIsBlank && isBlank(chunk, start, end);
    this.#openIsBlank = true;
    if (blank && content <= this.#maxFrameBytes) this.#open.clear();
    else this.#open.finish(content, chunk, start, end, sink);
  }

  #keep(chunk: Uint8Array, start: number, chunkOffset: number): void {
    if (this.#open.length === 0) this.#open.beginAt(chunkOffset + start);
    this.#openIsBlank &&= isBlank(chunk, start, chunk.length);
    this.#open.add(chunk, start, chunk.length);
  }
}

function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  let at = from;
  while (at < to && (bytes[at] === SPACE || bytes[at] === CR || bytes[at] === TAB)) at++;
  return at === to;
}
