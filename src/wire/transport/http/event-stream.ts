// Parses `text/event-stream` from bytes. An event with a single data line within one chunk is passed on without a copy. A line that is too
// long ends its event, which is reported; the stream continues.

import { decodeText } from '../../../base/decode-text.ts';
import { PartList } from '../../../base/part-list.ts';

export interface EventSink {
  /** The data of a `message` event: chunk[start, end). */
  data(chunk: Uint8Array, start: number, end: number): void;
  /** An event whose type is not `message`. */
  other(type: string, data: string): void;
  /** Called with the event's id before its data, even if the event has no data. */
  id(id: string, hasData: boolean): void;
  /** The reconnection delay requested by the server. */
  retry(ms: number): void;
  /** The data of an event exceeded the limit. */
  tooLong(bytes: number): void;
}

const LF = 10;
const CR = 13;
const COLON = 58;
const SPACE = 32;
const lineBreak = Uint8Array.of(LF);
const nothing = new Uint8Array(0);

/** Allowance for the field name and colon before a value. */
const LONGEST_NAME = 16;

export class EventStream {
  readonly #sink: EventSink;
  readonly #maxBytes: number;
  /** The beginning of an incomplete line. */
  readonly #rest: PartList;
  #restBytes = 0;
  #skipsLine = false;
  #lastWasCr = false;
  #isBegun = false;
  #type = '';
  #id: string | undefined;
  /** The first data line of the event. */
  #data: Uint8Array | undefined;
  /** All data lines, if the event has several. */
  readonly #lines: PartList;
  #dataBytes = 0;
  #isTooLong = false;

  constructor(sink: EventSink, maxBytes: number) {
    this.#sink = sink;
    this.#maxBytes = maxBytes;
    this.#rest = new PartList(maxBytes + LONGEST_NAME);
    this.#lines = new PartList(maxBytes);
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    if (this.#lastWasCr && chunk[0] === LF) start = 1;
    if (chunk.length > 0) this.#lastWasCr = false;
    let lf = chunk.indexOf(LF, start);
    for (;;) {
      if (lf >= 0 && lf < start) lf = chunk.indexOf(LF, start);
      const cr = chunk.subarray(start, lf < 0 ? chunk.length : lf).indexOf(CR);
      const end = cr < 0 ? lf : start + cr;
      if (end < 0) break;
      this.#line(chunk, start, end);
      start = end + 1;
      if (cr >= 0) {
        if (start === chunk.length) this.#lastWasCr = true;
        else if (chunk[start] === LF) start++;
      }
    }
    if (start < chunk.length) this.#keep(chunk, start);
  }

  #keep(chunk: Uint8Array, start: number): void {
    if (this.#skipsLine) return;
    this.#restBytes += chunk.length - start;
    if (this.#restBytes > this.#maxBytes + LONGEST_NAME) {
      this.#rest.clear();
      this.#skipsLine = true;
      this.#isTooLong = true;
    } else this.#rest.append(chunk, start, chunk.length);
  }

  #line(chunk: Uint8Array, start: number, end: number): void {
    if (this.#restBytes === 0) return this.#field(chunk, start, end);
    const bytes = this.#restBytes + end - start;
    this.#restBytes = 0;
    if (this.#skipsLine) {
      this.#skipsLine = false;
      this.#dataBytes += bytes;
    } else if (bytes > this.#maxBytes + LONGEST_NAME) {
      this.#rest.clear();
      this.#isTooLong = true;
      this.#dataBytes += bytes;
    } else {
      const whole = this.#rest.join(bytes, chunk, start, end);
      this.#rest.clear();
      this.#field(whole, 0, whole.length);
    }
  }

  #field(chunk: Uint8Array, from: number, end: number): void {
    const start = this.#isBegun ? from : afterMark(chunk, from);
    this.#isBegun = true;
    if (start === end) return this.#dispatch();
    const colon = chunk.subarray(start, Math.min(end, start + LONGEST_NAME)).indexOf(COLON);
    if (colon === 0) return; // the line is a comment
    let value = colon < 0 ? end : start + colon + 1;
    if (chunk[value] === SPACE && value < end) value++;
    const name = decodeText(chunk, start, colon < 0 ? end : start + colon);
    if (name === 'data') this.#addData(chunk.subarray(value, end));
    else if (name === 'event') this.#type = decodeText(chunk, value, end);
    else if (name === 'id') {
      const id = decodeText(chunk, value, end);
      if (!id.includes('\0')) this.#id = id;
    } else if (name === 'retry') {
      const ms = decodeText(chunk, value, end);
      if (/^\d{1,15}$/.test(ms)) this.#sink.retry(Number(ms));
    }
  }

  #addData(line: Uint8Array): void {
    const isFirst = this.#data === undefined;
    this.#dataBytes += line.length + (isFirst ? 0 : 1);
    if (this.#dataBytes > this.#maxBytes) this.#isTooLong = true;
    if (this.#isTooLong) return this.#lines.clear();
    if (isFirst) {
      this.#data = line;
      return;
    }
    if (this.#lines.length === 0) this.#lines.append(this.#data!, 0, this.#data!.length);
    this.#lines.append(lineBreak, 0, 1);
    this.#lines.append(line, 0, line.length);
  }

  #dispatch(): void {
    const [type, id, data, bytes, isTooLong] = [this.#type, this.#id, this.#data, this.#dataBytes, this.#isTooLong];
    this.#type = '';
    this.#id = undefined;
    this.#data = undefined;
    this.#dataBytes = 0;
    this.#isTooLong = false;
    if (id !== undefined) this.#sink.id(id, data !== undefined || isTooLong);
    if (isTooLong) return this.#sink.tooLong(bytes);
    // An event without data only carries the id to resume from.
    if (data === undefined || bytes === 0) return;
    const whole = this.#lines.length === 0 ? data : this.#lines.join(bytes, nothing, 0, 0);
    this.#lines.clear();
    if (type === '' || type === 'message') this.#sink.data(whole, 0, whole.length);
    else this.#sink.other(type, decodeText(whole));
  }
}

/** A stream may begin with a byte order mark. */
function afterMark(chunk: Uint8Array, from: number): number {
  const isMark = chunk[from] === 0xef && chunk[from + 1] === 0xbb && chunk[from + 2] === 0xbf;
  return isMark ? from + 3 : from;
}
