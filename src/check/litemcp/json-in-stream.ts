// Finds JSON objects in a stream of bytes, independently of separators: an answer without the end of the framing is still found, and violates
// only the rule about the end. Each byte is read once.

export interface StreamSink {
  /** Text with balanced braces. It may be invalid JSON. */
  object(bytes: Buffer): void;
  /** Other text, up to the end of its line or the next object. */
  text(bytes: Buffer): void;
  /** A newline outside objects. */
  newline(): void;
}

const LF = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const space = new Set([0x20, 0x09, 0x0a, 0x0d]);

export class JsonInStream {
  readonly #sink: StreamSink;
  /** The incomplete object or line at the end of the last chunk. */
  #open: Buffer[] = [];
  #depth = 0;
  /** True while only the opening brace of the object was read. */
  #isNew = false;
  #inString = false;
  #escaped = false;

  constructor(sink: StreamSink) {
    this.#sink = sink;
  }

  get rest(): Buffer {
    return Buffer.concat(this.#open);
  }

  /** Drops the incomplete object or line. */
  reset(): void {
    this.#open = [];
    this.#depth = 0;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.#depth > 0) this.#inside(byte);
      if (this.#depth > 0) continue;
      if (byte === CLOSE && this.#closed) {
        this.#closed = false;
        this.#sink.object(this.#take(chunk.subarray(start, at + 1)));
        start = at + 1;
      } else if (byte === OPEN) {
        this.#text(chunk.subarray(start, at));
        start = at;
        this.#depth = 1;
        this.#isNew = true;
      } else if (byte === LF) {
        this.#text(chunk.subarray(start, at));
        this.#sink.newline();
        start = at + 1;
      }
    }
    if (start < chunk.length) this.#open.push(chunk.subarray(start));
  }

  /** The last byte closed an object. */
  #closed = false;

  #inside(byte: number): void {
    if (this.#inString) return this.#character(byte);
    if (this.#isNew && !space.has(byte)) {
      this.#isNew = false;
      if (byte !== QUOTE && byte !== CLOSE) {
        this.#depth = 0; // the brace is part of other text
        return;
      }
    }
    if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN) this.#depth++;
    else if (byte === CLOSE) this.#closed = --this.#depth === 0;
  }

  #character(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
    else if (byte === LF) {
      this.#inString = false;
      this.#depth = 0; // JSON strings cannot contain a newline
    }
  }

  #text(end: Buffer): void {
    const bytes = this.#take(end);
    if (bytes.some((byte) => !space.has(byte))) this.#sink.text(bytes);
  }

  #take(end: Buffer): Buffer {
    const bytes = Buffer.concat([...this.#open, end]);
    this.#open = [];
    return bytes;
  }
}
