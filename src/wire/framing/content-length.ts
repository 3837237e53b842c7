// The framing of LSP: header lines, a blank line, then as many bytes as `Content-Length` announces. Stray output
// between frames is reported line by line and loses no frame. After a bad header block the decoder resynchronises at
// the next header, even one that directly follows a body of unknown length. Must not examine the content of a body.

import { CountedPayload } from './counted-payload.ts';
import { decoderOf, type FrameScanner } from './decoder.ts';
import { type FrameSink, type Framing, PREFIX_BYTES } from './framing.ts';
import { HeaderBlock } from './header-block.ts';
import { PartialFrame } from './partial-frame.ts';

type HeaderLine =
  | { kind: 'length'; length: number | undefined }
  | { kind: 'other' }
  | { kind: 'noise' }
  /** Stray output without a line end, such as a stray body, directly followed by a whole header. */
  | { kind: 'noise-then-length'; headerBytes: number; length: number };
/** A header that directly follows stray output is searched for within this many bytes of the end of the line. */
export const STUCK_HEADER_BYTES = 64;

/** A longer line is stray output, whatever it contains. */
export const MAX_HEADER_LINE_BYTES = 8 * 1024;

const LF = 0x0a;
const CR = 0x0d;
const lineEnds = { lf: Uint8Array.of(LF), crlf: Uint8Array.of(CR, LF) };
const nothing = new Uint8Array(0);

export function contentLength(): Framing {
  return {
    name: 'content-length',
    decoder: (options) => decoderOf((max) => new ContentLengthScanner(max), options, { skipsByteOrderMark: true }),
    encode(payload) {
      const header = new TextEncoder().encode(`Content-Length: ${payload.length}\r\n\r\n`);
      const frame = new Uint8Array(header.length + payload.length);
      frame.set(header);
      frame.set(payload, header.length);
      return frame;
    },
  };
}

/** A line without its line end. For a line that is too long, only `first` and `last` are kept. */
interface Line {
  offset: number;
  length: number;
  first: Uint8Array;
  last: Uint8Array;
  says: HeaderLine;
}

class ContentLengthScanner implements FrameScanner {
  readonly #payload: CountedPayload;
  readonly #block = new HeaderBlock();
  /** The line that the last chunk left incomplete, and its last bytes in case it becomes too long to be held. */
  readonly #open = new PartialFrame(MAX_HEADER_LINE_BYTES, 1);
  #openEnd = nothing;
  #endOffset = 0;

  constructor(maxFrameBytes: number) {
    this.#payload = new CountedPayload(maxFrameBytes);
  }

  get heldBytes(): number {
    return this.#payload.heldBytes + this.#block.heldBytes + this.#open.heldBytes + this.#openEnd.length;
  }

  scan(chunk: Uint8Array, from: number, chunkOffset: number, sink: FrameSink): void {
    this.#endOffset = chunkOffset + chunk.length;
    let at = from;
    while (at < chunk.length) {
      if (!this.#payload.isOpen) at = this.#readLine(chunk, at, chunkOffset, sink);
      if (this.#payload.isOpen) at = this.#payload.feed(chunk, at, sink);
    }
  }

  finish(sink: FrameSink): void {
    const { length, lastByte } = this.#open;
    const content = lastByte === CR ? length - 1 : length;
    if (this.#payload.isOpen) this.#payload.finish(sink);
    else if (this.#block.isOpen) {
      this.#block.show(this.#open.prefix(PREFIX_BYTES));
      this.#block.fail('FRAME_TRUNCATED', this.#endOffset, sink);
    } else if (content > 0) {
      this.#open.fail(content > MAX_HEADER_LINE_BYTES ? 'FRAME_LENGTH_INVALID' : 'FRAME_TRUNCATED', content, sink);
    }
  }

  /** Reads to the end of a line or of the chunk. Returns the index after it. */
  #readLine(chunk: Uint8Array, from: number, chunkOffset: number, sink: FrameSink): number {
    if (this.#open.length === 0) this.#open.beginAt(chunkOffset + from);
    const lf = chunk.indexOf(LF, from);
    if (lf < 0) {
      this.#open.add(chunk, from, chunk.length);
      this.#openEnd = lastBytes(this.#openEnd, chunk.subarray(from), STUCK_HEADER_BYTES + 1);
      return chunk.length;
    }
    const endsWithCr = (lf > from ? chunk[lf - 1] : this.#open.lastByte) === CR;
    const length = this.#open.length + lf - from - (endsWithCr ? 1 : 0);
    const lineEnd = endsWithCr ? lineEnds.crlf : lineEnds.lf;
    const endOffset = chunkOffset + lf + 1;
    const openEnd = this.#openEnd;
    this.#openEnd = nothing;
    this.#open.finish(length, chunk, from, lf, {
      frame: (first, offset) => {
        this.#take({ offset, length, first, last: first, says: readHeaderLine(first) }, lineEnd, endOffset, sink);
      },
      fault: ({ offset, prefix: first }) => {
        const end = lastBytes(openEnd, chunk.subarray(from, lf), STUCK_HEADER_BYTES + 1);
        const last = lastBytes(nothing, endsWithCr ? end.subarray(0, -1) : end, STUCK_HEADER_BYTES);
        this.#take({ offset, length, first, last, says: readLineEnd(last) }, lineEnd, endOffset, sink);
      },
    });
    return lf + 1;
  }

  #take(line: Line, lineEnd: Uint8Array, endOffset: number, sink: FrameSink): void {
    const { says } = line;
    const headerBytes = says.kind === 'noise-then-length' ? says.headerBytes : says.kind === 'noise' ? 0 : line.length;
    const noiseBytes = line.length - headerBytes;
    const wasOpen = this.#block.isOpen;
    if (headerBytes > 0) this.#block.addLine(line.offset + noiseBytes);
    if ('length' in says) this.#block.addLength(says.length);
    if (wasOpen) this.#block.show(line.first);
    else if (headerBytes > 0) this.#block.show(noiseBytes > 0 ? line.last.subarray(-headerBytes) : line.first);
    if (this.#block.isOpen) this.#block.show(lineEnd);
    if (noiseBytes > 0) {
      const prefix = new Uint8Array(line.first.subarray(0, Math.min(noiseBytes, PREFIX_BYTES)));
      sink.fault({ code: 'FRAME_LENGTH_INVALID', offset: line.offset, length: noiseBytes, prefix });
    }
    if (line.length === 0 && wasOpen) this.#endBlock(endOffset, sink);
    else if (this.#block.isTooLong) this.#block.fail('FRAME_LENGTH_INVALID', endOffset, sink);
  }

  #endBlock(endOffset: number, sink: FrameSink): void {
    const { length } = this.#block;
    if (length === undefined) {
      this.#block.fail('FRAME_LENGTH_INVALID', endOffset, sink);
      return;
    }
    this.#block.clear();
    this.#payload.announce(length, endOffset);
  }
}

/** A copy of the last `count` bytes of both arrays together. */
function lastBytes(before: Uint8Array, bytes: Uint8Array, count: number): Uint8Array<ArrayBuffer> {
  const fromBytes = Math.min(bytes.length, count);
  const fromBefore = Math.min(before.length, count - fromBytes);
  const last = new Uint8Array(fromBefore + fromBytes);
  last.set(before.subarray(before.length - fromBefore));
  last.set(bytes.subarray(bytes.length - fromBytes), fromBefore);
  return last;
}

/**
 * Classifies one line in the place of a header. Only `Content-…` fields are headers: LSP defines no others, and a log
 * line such as `INFO: ready` must count as stray output.
 */
function readHeaderLine(line: Uint8Array): HeaderLine {
  const text = latin1(line);
  const name = /^content-[a-z-]+(?=[ \t]*:)/i.exec(text)?.[0];
  if (!name) return readLineEnd(line.subarray(Math.max(0, line.length - STUCK_HEADER_BYTES)));
  if (name.toLowerCase() !== 'content-length') return { kind: 'other' };
  const value = text.slice(text.indexOf(':') + 1).trim();
  return { kind: 'length', length: /^\d{1,15}$/.test(value) ? Number(value) : undefined };
}

/** Classifies a line of which only the end is left, at most STUCK_HEADER_BYTES of it. */
function readLineEnd(lineEnd: Uint8Array): HeaderLine {
  const stuck = /content-length[ \t]*:[ \t]*(\d{1,15})$/i.exec(latin1(lineEnd));
  return stuck
    ? { kind: 'noise-then-length', headerBytes: stuck[0].length, length: Number(stuck[1]) }
    : { kind: 'noise' };
}

function latin1(bytes: Uint8Array): string {
  // Avoids spreading, which uses an iterator: this call is most of the cost of a header.
  return String.fromCharCode.apply(null, bytes as unknown as number[]);
}
