// Splits stdout of a server into lines. A line that is not one message gets a fault, and its messages are recovered if they are certain: a server
// with one fault violates the rule about it, but not every rule that waits for an answer.

import { isObject, type JsonObject } from '../../base/json-object.ts';
import { jsonObjects } from '../../base/top-level-json.ts';
import { withoutColours } from '../../wire/diagnosis/observations.ts';
import { parsed } from '../parsed-json.ts';
import type { Entry } from '../transcript.ts';

export type LineFault =
  | 'blank'
  | 'byte order mark'
  /** A message between terminal control sequences. */
  | 'colours'
  | 'several messages'
  /** Part of a message with newlines. */
  | 'several lines'
  /** Parts of several messages. */
  | 'mixed up'
  /** A message that is not valid JSON. */
  | 'invalid JSON'
  /** JSON that is not a message, such as a structured log. */
  | 'other JSON'
  | 'text'
  /** A whole message at the end of stdout. */
  | 'no newline'
  /** The incomplete end of stdout: the server may have been stopped while it wrote. */
  | 'cut';

/** One line of stdout. */
export interface Frame extends Entry {
  readonly kind: 'received';
  /** The parsed line; undefined for a line that is not JSON. */
  readonly json: unknown;
  readonly fault?: LineFault;
  /** Messages in a line that is not JSON. */
  readonly recovered?: JsonObject[];
  /** Whether the recovered messages are a batch. */
  readonly isBatch?: boolean;
}

type NewFrame = { -readonly [name in keyof Frame]: Frame[name] };

/** Lines that together may be one message. */
interface Open {
  frames: NewFrame[];
  text: string;
  /** The indentation of the first line if it is a single bracket; otherwise -1. */
  readonly indent: number;
  /** Number of attempts to parse the text. */
  tries: number;
}

const MOST_OPEN_LINES = 20_000;
const MOST_OPEN_CHARS = 4 * 1024 * 1024;
const MOST_TRIES = 20;

export class LineReader {
  readonly #onframe: (frame: Frame) => void;
  readonly #mayParse: (bytes: Buffer) => boolean;
  #rest: Buffer[] = [];
  #open: Open | undefined;
  #afterMixedUp = false;

  /** Lines for which `mayParse` returns false are dropped. */
  constructor(onframe: (frame: Frame) => void, mayParse: (bytes: Buffer) => boolean = () => true) {
    this.#onframe = onframe;
    this.#mayParse = mayParse;
  }

  /** Bytes after the last newline. */
  get rest(): Buffer {
    return Buffer.concat(this.#rest);
  }

  /** Drops incomplete input. */
  reset(): void {
    this.#rest = [];
    this.#open = undefined;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const bytes = Buffer.concat([...this.#rest, chunk.subarray(from, at)]);
      this.#rest = [];
      if (this.#mayParse(bytes)) this.#onframe(this.#read(bytes));
      from = at + 1;
    }
    if (from < chunk.length) this.#rest.push(chunk.subarray(from));
  }

  /** Must be called at the end of stdout. */
  end(): void {
    const { rest } = this;
    this.#rest = [];
    if (rest.length === 0 || !this.#mayParse(rest)) return;
    const json = parsed(rest.toString('utf8'));
    this.#onframe({ kind: 'received', bytes: rest, json, fault: json === undefined ? 'cut' : 'no newline' });
  }

  #read(bytes: Buffer): Frame {
    const text = bytes.toString('utf8');
    const json = parsed(text);
    const frame: NewFrame = { kind: 'received', bytes, json };
    if (json !== undefined && !this.#open) {
      this.#afterMixedUp = false;
      return isMessage(json) ? frame : { ...frame, fault: 'other JSON' };
    }
    if (this.#continues(frame, text)) return frame;
    if (json === undefined) this.#classify(frame, text);
    else if (!isMessage(json)) frame.fault = 'other JSON';
    return frame;
  }

  /** Whether the line belongs to a message that earlier lines began. */
  #continues(frame: NewFrame, text: string): boolean {
    const open = this.#open;
    if (!open) return false;
    const isLong = open.frames.length >= MOST_OPEN_LINES || open.text.length + text.length > MOST_OPEN_CHARS;
    const isOther = hasVersion(frame.json) || beginsMessage(text);
    if (isLong || isOther || open.tries >= MOST_TRIES) {
      this.#open = undefined;
      return false;
    }
    open.frames.push(frame);
    // JSON strings cannot contain a newline: a space replaces it.
    open.text += ` ${text}`;
    frame.fault = 'text';
    if (!mayClose(open, text)) return true;
    open.tries++;
    const whole = parsed(open.text);
    if (!hasVersion(whole)) {
      if (open.indent >= 0) this.#open = undefined; // the bracket is closed: the next line is not part of the message
      return true;
    }
    for (const part of open.frames) part.fault = 'several lines';
    frame.lines = open.frames;
    frame.recovered = messagesIn(whole);
    frame.isBatch = Array.isArray(whole);
    this.#open = undefined;
    return true;
  }

  #classify(frame: NewFrame, text: string): void {
    frame.fault = this.#faultOf(frame, text);
    this.#afterMixedUp = frame.fault === 'mixed up';
    const isStart = (frame.fault === 'invalid JSON' || frame.fault === 'text') && /^\s*[{[]/.test(text);
    if (!isStart) return;
    const indent = text.trim().length === 1 ? text.trimEnd().length - 1 : -1;
    this.#open = { frames: [frame], text, indent, tries: 0 };
  }

  #faultOf(frame: NewFrame, text: string): LineFault {
    if (text.trim() === '') return 'blank';
    const plain = withoutColours(text);
    for (const [fault, inner] of [
      ['byte order mark', text.startsWith('\ufeff') ? text.slice(1) : text],
      ['colours', plain],
    ] as const) {
      const json = inner === text ? undefined : parsed(inner);
      if (!hasVersion(json)) continue;
      frame.recovered = messagesIn(json);
      frame.isBatch = Array.isArray(json);
      return fault;
    }
    const times = text.split('"jsonrpc"').length - 1;
    if (times > 1) {
      const found = [...jsonObjects(text)].filter(({ value }) => hasVersion(value));
      frame.recovered = found.map(({ value }) => value);
      const between = found.map(({ start }, at) => text.slice(found[at - 1]?.end ?? 0, start));
      const isWhole = [...between, text.slice(found.at(-1)?.end)].every((part) => part.trim() === '');
      return isWhole ? 'several messages' : 'mixed up';
    }
    if (this.#afterMixedUp) return 'mixed up'; // the line is a part of the mixed-up messages
    return times === 1 && /^\s*[{[]/.test(text) ? 'invalid JSON' : 'text';
  }
}

function beginsMessage(text: string): boolean {
  const start = text.indexOf('{');
  return start >= 0 && text.includes('"jsonrpc"', start);
}

/** Whether the line may end indented JSON, or JSON with newlines in strings. Avoids parsing the text for every line. */
function mayClose({ indent }: Open, text: string): boolean {
  const end = text.trimEnd();
  if (!end.endsWith('}') && !end.endsWith(']')) return false;
  return indent < 0 || (end.length === indent + 1 && end.trim().length === 1);
}

/** The messages of a line, including those of a batch. */
export function messagesOf({ json, recovered }: Frame): JsonObject[] {
  return json === undefined ? (recovered ?? []) : messagesIn(json);
}

export function isList({ json, isBatch = false }: Frame): boolean {
  return isBatch || Array.isArray(json);
}

function messagesIn(json: unknown): JsonObject[] {
  return (Array.isArray(json) ? json : [json]).filter(isObject);
}

function hasVersion(json: unknown): boolean {
  return messagesIn(json).some(({ jsonrpc }) => jsonrpc !== undefined);
}

/** A message, or an array with one. One member of a message is enough here: rules about JSON-RPC report missing members. */
export function isMessage(json: unknown): boolean {
  return messagesIn(json).some((message) => ['jsonrpc', 'method', 'result', 'error'].some((name) => name in message));
}
