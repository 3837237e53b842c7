// Reads `text/event-stream` from bytes. An event with one line of data is passed on as it came, without a copy, where it lies in
// one chunk. A line that is too long ends its event, which is reported as such; the stream goes on.

import { decodeText } from '../../base/decode-text.ts';

export interface EventSink {
  /** The data of an event of the type `message`, chunk[start, end). */
  data(chunk: Uint8Array, start: number, end: number): void;
  /** An event of another type. */
  other(type: string, data: string): void;
  /** The event has this id. Called before its data, and also where it has none. */
  id(id: string, hasData: boolean): void;
  /** The wait before the next connection. */
  retry(ms: number): void;
  /** The data of an event was longer than allowed. */
  tooLong(bytes: number): void;
}

const LF = 10;
const CR = 13;
const COLON = 58;
const SPACE = 32;

export class EventStream {
  readonly #sink: EventSink;
  readonly #maxBytes: number;
  /** The beginning of a line whose end has not come yet. */
  #rest: Uint8Array[] = [];
  #restBytes = 0;
  #skipsLine = false;
  #lastWasCr = false;
  #type = '';
  #id: string | undefined;
  /** Data lines of the event so far, but the last of one line is passed on without a copy. */
  #data: Uint8Array[] = [];
  #dataBytes = 0;
  #isTooLong = false;

  constructor(sink: EventSink, maxBytes: number) {
    this.#sink = sink;
    this.#maxBytes = maxBytes;
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    if (this.#lastWasCr && chunk[0] === LF) start = 1;
    if (chunk.length > 0) this.#lastWasCr = false;
    for (let at = nextEnd(chunk, start); at >= 0; at = nextEnd(chunk, start)) {
      this.#line(chunk, start, at);
      start = at + 1;
      if (chunk[at] === CR) {
        if (start === chunk.length) this.#lastWasCr = true;
        else if (chunk[start] === LF) start++;
      }
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  #keep(part: Uint8Array): void {
    if (this.#skipsLine) return;
    this.#restBytes += part.length;
    // A line has a name and a colon before its value.
    if (this.#restBytes > this.#maxBytes + 16) {
      this.#rest = [];
      this.#skipsLine = true;
      this.#isTooLong = true;
      return;
    }
    this.#rest.push(part);
  }

  #line(chunk: Uint8Array, start: number, end: number): void {
    if (this.#restBytes === 0) return this.#field(chunk, start, end);
    if (this.#skipsLine) this.#dataBytes += this.#restBytes + end - start;
    else {
      const whole = Buffer.concat([...this.#rest, chunk.subarray(start, end)]);
      this.#rest = [];
      this.#restBytes = 0;
      return this.#field(whole, 0, whole.length);
    }
    this.#skipsLine = false;
    this.#rest = [];
    this.#restBytes = 0;
  }

  #field(chunk: Uint8Array, start: number, end: number): void {
    if (start === end) return this.#dispatch();
    const colon = chunk.subarray(start, Math.min(end, start + 16)).indexOf(COLON);
    if (colon === 0) return; // a comment
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
    this.#dataBytes += line.length + (this.#data.length > 0 ? 1 : 0);
    if (this.#dataBytes > this.#maxBytes) {
      this.#isTooLong = true;
      this.#data = [];
    } else if (!this.#isTooLong) this.#data.push(line);
  }

  #dispatch(): void {
    const [type, id, data, bytes, isTooLong] = [this.#type, this.#id, this.#data, this.#dataBytes, this.#isTooLong];
    this.#type = '';
    this.#id = undefined;
    this.#data = [];
    this.#dataBytes = 0;
    this.#isTooLong = false;
    if (id !== undefined) this.#sink.id(id, data.length > 0 || isTooLong);
    if (isTooLong) return this.#sink.tooLong(bytes);
    // An event without data has only an id: where to resume.
    if (bytes === 0) return;
    const [first] = data;
    const whole = data.length === 1 ? first! : joined(data, bytes);
    if (type === '' || type === 'message') this.#sink.data(whole, 0, whole.length);
    else this.#sink.other(type, decodeText(whole));
  }
}

function nextEnd(chunk: Uint8Array, start: number): number {
  const lf = chunk.indexOf(LF, start);
  const cr = (lf < 0 ? chunk : chunk.subarray(0, lf)).indexOf(CR, start);
  return cr >= 0 ? cr : lf;
}

function joined(lines: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const line of lines) {
    if (at > 0) whole[at++] = LF;
    whole.set(line, at);
    at += line.length;
  }
  return whole;
}
