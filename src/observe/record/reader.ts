// Reads recordings of any size line by line, with one line in memory. Never throws for any file content: an invalid
// line is reported and skipped, and so is the partial line that a killed writer leaves at the end.

import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { decodeText } from '../../base/decode-text.ts';
import { isObject } from '../../base/json-object.ts';
import type { FrameSink } from '../../wire/framing/framing.ts';
import { newline } from '../../wire/framing/newline.ts';
import { eventFields, type FlowEvent, type FlowFact, type FrameFact, fieldsOf, LONGEST_NAME } from '../flow/event.ts';
import {
  isHeader,
  kindOf,
  migrate,
  parseHeader,
  type RawLine,
  RECORDING_VERSION,
  type RecordingRun,
} from './run-header.ts';

export type RecordingItem =
  | { type: 'run'; run: RecordingRun }
  | { type: 'event'; run: RecordingRun; event: FlowEvent; place: LinePlace }
  /** A valid line of a kind that only newer versions know. */
  | { type: 'unknown'; run: RecordingRun; line: RawLine }
  /** Events missing from all files: rotated away, or skipped because the disk or a slow reader could not keep up. */
  | { type: 'gap'; run: RecordingRun; fromSeq: number; toSeq: number }
  | (LinePlace & { type: 'damage'; reason: string; prefix: string });

/** The position of a line. */
export interface LinePlace {
  /** Absent if the recording was not read from a file. */
  readonly file?: string | undefined;
  readonly offset: number;
  /** Bytes, without the newline. */
  readonly length: number;
}

export interface ReaderOptions {
  /** A longer line counts as damaged. */
  maxLineBytes?: number;
}

const DEFAULT_MAX_LINE_BYTES = 32 * 1024 * 1024;
/** The reason of a partial line that a killed writer left at the end. */
export const INCOMPLETE_LINE = 'The last line is incomplete';
const PREFIX_CHARS = 200;
/** Maximum number of runs whose sequence numbers are tracked. */
const MAX_RUNS = 1000;
const LONGEST_RUN_NAME = 200;
/** Limit of a header, because the facts about the writer are kept as long as the run is. */
const LONGEST_HEADER = 64 * 1024;
/** About 30 years. Later times may have no date. */
const LATEST_MS = 1e12;

/** `source`: the path of one file, or the bytes of a recording as they arrive. */
export function readRecording(
  source: string | AsyncIterable<Uint8Array>,
  options: ReaderOptions = {},
): AsyncGenerator<RecordingItem, void, undefined> {
  return readLines(source, options, new LineReader());
}

async function* readLines(
  source: string | AsyncIterable<Uint8Array>,
  { maxLineBytes = DEFAULT_MAX_LINE_BYTES }: ReaderOptions,
  lines: LineReader,
): AsyncGenerator<RecordingItem, void, undefined> {
  const isFile = typeof source === 'string';
  lines.file = isFile ? source : undefined;
  const chunks = isFile ? createReadStream(source, { highWaterMark: 256 * 1024 }) : source;
  const decoder = newline().decoder({ maxFrameBytes: maxLineBytes });
  for await (const chunk of chunks) {
    decoder.push(chunk, lines);
    yield* lines.take();
  }
  decoder.end(lines);
  yield* lines.take();
}

/** FILE and its rotated predecessors, oldest first. */
export async function recordingFiles(file: string): Promise<string[]> {
  const name = basename(file);
  const names = await readdir(dirname(file));
  const rotated = names
    .filter((each) => each.startsWith(`${name}.`))
    .map((each) => each.slice(name.length + 1))
    .filter((number) => /^[1-9]\d*$/.test(number))
    .sort((a, b) => Number(b) - Number(a))
    .map((number) => join(dirname(file), `${name}.${number}`));
  const areFiles = await Promise.all(rotated.map(isFile));
  const files = rotated.filter((_, index) => areFiles[index]);
  return names.includes(name) ? [...files, join(dirname(file), name)] : files;
}

/** Opening a named pipe would wait for a writer. */
async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true;
}

export async function* readRecordings(
  file: string,
  options: ReaderOptions = {},
): AsyncGenerator<RecordingItem, void, undefined> {
  const lines = new LineReader();
  for (const each of await recordingFiles(file)) yield* readLines(each, options, lines);
}

class LineReader implements FrameSink {
  file: string | undefined;
  #items: RecordingItem[] = [];
  readonly #runs = new Map<string, { run: RecordingRun; lastSeq: number }>();

  take(): RecordingItem[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  frame(bytes: Uint8Array, offset: number): void {
    const text = decodeText(bytes);
    const problem = this.#line(text, { file: this.file, offset, length: bytes.length });
    if (problem === undefined) return;
    this.#items.push({
      type: 'damage',
      file: this.file,
      offset,
      length: bytes.length,
      reason: problem,
      prefix: Buffer.from(text.slice(0, PREFIX_CHARS)).toString(), // copied, because a slice would retain the whole line
    });
  }

  fault(fault: { code: string; offset: number; length: number; prefix: Uint8Array }): void {
    const { code, offset, length } = fault;
    const reason = code === 'FRAME_TRUNCATED' ? INCOMPLETE_LINE : 'The line is too long';
    const prefix = decodeText(fault.prefix).slice(0, PREFIX_CHARS);
    this.#items.push({ type: 'damage', file: this.file, offset, length, reason, prefix });
  }

  /** Returns the problem of the line, if any. */
  #line(text: string, place: LinePlace): string | undefined {
    const line = parseObject(text);
    if (!line) return 'Not a JSON object';
    if (typeof line.run === 'string' && line.run.length > LONGEST_RUN_NAME) return 'The name of its run is too long';
    if (isHeader(line)) return text.length > LONGEST_HEADER ? 'The header is too long' : this.#header(line);
    const { run, lastSeq } = this.#runOf(line.run);
    const migrated = migrate(line, run.version);
    if (!migrated) return `Unknown format version ${run.version}`;
    const event = parseEvent(migrated);
    if (event === undefined) return 'Not an event';
    const seq = migrated.seq as number;
    if (seq <= lastSeq) return undefined; // a process that ended during a write may have written a line twice
    if (seq > lastSeq + 1) this.#items.push({ type: 'gap', run, fromSeq: lastSeq + 1, toSeq: seq - 1 });
    if (event === 'unknown') this.#items.push({ type: 'unknown', run, line: migrated });
    else this.#items.push({ type: 'event', run, event, place });
    this.#remember(run, seq);
    return undefined;
  }

  #header(line: RawLine): string | undefined {
    const run = parseHeader(line);
    if (!run) return 'Not a valid header';
    const known = this.#runs.get(run.run);
    this.#remember(run, known?.lastSeq ?? 0);
    if (!known) this.#items.push({ type: 'run', run });
    return run.version > RECORDING_VERSION ? `Unknown format version ${run.version}` : undefined;
  }

  #remember(run: RecordingRun, lastSeq: number): void {
    this.#runs.set(run.run, { run, lastSeq });
    if (this.#runs.size > MAX_RUNS) this.#runs.delete(this.#runs.keys().next().value!);
  }

  /** A line without its header is still read. */
  #runOf(name: unknown): { run: RecordingRun; lastSeq: number } {
    const run = typeof name === 'string' ? name : '';
    return this.#runs.get(run) ?? { run: { run, version: RECORDING_VERSION, about: {} }, lastSeq: 0 };
  }
}

function parseObject(text: string): RawLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // the caller reports the line as damaged
  }
}

/** `unknown`: a valid line of a kind that this version does not know. A line that lacks a required member is rejected. */
export function parseEvent(line: RawLine): FlowEvent | 'unknown' | undefined {
  const { seq, atMs, server, life, kind } = line;
  if (!isNumber(seq) || !isNumber(atMs) || !isString(server) || !isNumber(life) || !isString(kind)) return undefined;
  if (server.length > LONGEST_NAME || atMs < 0 || atMs > LATEST_MS) return undefined;
  const ofEvent = kind === 'client-frame' || kind === 'client-fault' ? kind.slice('client-'.length) : kind;
  const fact = ofEvent === 'frame' ? readFrame(line) : readFields(line, ofEvent);
  if (!fact || fact === 'unknown') return fact;
  const hasDirection = fact.kind === 'frame' || fact.kind === 'fault';
  return hasDirection && kindOf(fact.kind, fact.direction) !== kind ? undefined : { seq, atMs, server, life, ...fact };
}

function readFields(line: RawLine, kind: string): FlowFact | 'unknown' | undefined {
  const fields = fieldsOf(kind);
  if (!fields) return 'unknown';
  const values: [string, unknown][] = [['kind', kind]];
  for (const { name, isBytes, read, optional } of fields) {
    const value = isBytes ? readBytes(line.text, line.base64) : read(line[name]);
    if (value !== undefined) values.push([name, value]);
    else if (!optional) return undefined;
    if (isBytes && line.redacted === true) values.push(['redacted', true]);
  }
  return Object.fromEntries(values) as unknown as FlowFact;
}

function readFrame(line: RawLine): FrameFact | undefined {
  const { length, offset, cut, exchange, status } = line;
  const direction = eventFields.fault.direction.read(line.direction);
  const payload = readBytes(line.text, line.base64);
  if (!direction || !isNumber(length) || !payload) return undefined;
  const tail = cut === true ? readBytes(line.tail, line.tailBase64) : undefined;
  return {
    kind: 'frame',
    direction,
    length,
    payload,
    ...(isNumber(offset) && { offset }),
    ...(cut === true && { cut }),
    ...(tail && { tail }),
    ...(isNumber(exchange) && { http: { exchange, ...(isNumber(status) && { status }) } }),
    ...(line.redacted === true && { redacted: true }),
  };
}

function readBytes(text: unknown, base64: unknown): Uint8Array | undefined {
  if (isString(text)) return plainBytes(Buffer.from(text));
  return isString(base64) ? plainBytes(Buffer.from(base64, 'base64')) : undefined;
}

/** The bytes as a plain Uint8Array: pure code expects `slice` to copy, and `slice` of a Buffer does not copy. */
function plainBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** JSON text such as 1e999 is parsed as Infinity. */
function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}
