// Encodes an event as one line of JSON. Bytes are written as text if they are UTF-8, otherwise as base64. Secrets are
// removed here, before anything leaves the process; `length` still gives the original size.

import { isUtf8 } from 'node:buffer';
import type { Redact } from '../../base/secrets/redact.ts';
import { escapeLineSeparators } from '../../base/to-json.ts';
import { type FlowDirection, type FlowEvent, type FrameFact, fieldsOf, type StderrFact } from '../flow/event.ts';
import { CapturedFrame } from '../flow/frame-blocks.ts';
import type { LineBuffer } from './line-buffer.ts';
import { kindOf } from './run-header.ts';

export class EventLines {
  readonly #runJson: string;
  readonly #redact: Redact;
  readonly #plain: PlainFrameLines;
  /** Values of the last event, which rarely change. */
  #server: string | undefined;
  #serverJson = '';
  #block: Uint8Array | undefined;
  #blockBuffer: Buffer = Buffer.alloc(0);

  constructor(run: string, redact: Redact = (text) => text) {
    this.#runJson = JSON.stringify(run);
    this.#redact = redact;
    this.#plain = new PlainFrameLines(run);
  }

  /** Adds the line to a buffer. Equivalent to `encode`, but faster for frequent events. */
  write(event: FlowEvent, into: LineBuffer): void {
    if (!(event instanceof CapturedFrame && this.#writeFrame(event, into))) into.add(this.encode(event));
  }

  /** Returns the line without a newline. */
  encode(event: FlowEvent): string {
    const { seq, server, life } = event;
    const kind = event.kind === 'frame' || event.kind === 'fault' ? kindOf(event.kind, event.direction) : event.kind;
    const atMs = Math.round(event.atMs * 1000) / 1000;
    const stamp = `"seq":${seq},"atMs":${atMs},"server":${this.#jsonOf(server)},"life":${life},"kind":"${kind}"`;
    return escapeLineSeparators(`{"run":${this.#runJson},${stamp}${this.#fields(event)}}`);
  }

  #writeFrame(frame: CapturedFrame, into: LineBuffer): boolean {
    if (frame.block !== this.#block) {
      this.#block = frame.block;
      this.#blockBuffer = bufferOf(frame.block);
    }
    // Decoded as Latin-1: the fast path does not write non-ASCII text.
    const text = this.#blockBuffer.toString('latin1', frame.start, frame.start + frame.length);
    return this.#redact(text) === text && this.#plain.write(frame, into);
  }

  #jsonOf(server: string): string {
    if (server !== this.#server) {
      this.#server = server;
      this.#serverJson = JSON.stringify(server);
    }
    return this.#serverJson;
  }

  #fields(event: FlowEvent): string {
    if (event.kind === 'frame') return this.#frame(event);
    const values: Record<string, unknown> = {};
    let bytes = '';
    for (const { name, isBytes, secret } of fieldsOf(event.kind)!) {
      const value = event[name as keyof FlowEvent] as unknown;
      if (isBytes) bytes = this.#bytes('', value as Uint8Array, (event as StderrFact).redacted);
      else values[name] = secret && typeof value === 'string' ? this.#redact(value) : value;
    }
    return `${rest(values)}${bytes}`;
  }

  #frame(frame: FrameFact): string {
    const offset = frame.offset === undefined ? '' : `,"offset":${frame.offset}`;
    const { exchange, status } = frame.http ?? {};
    const http = frame.http ? rest({ exchange, status }) : '';
    const place = `,"direction":"${frame.direction}"${offset},"length":${frame.length}${http}`;
    const payload = this.#bytes('', frame.payload, frame.redacted);
    if (!frame.cut) return `${place}${payload}`;
    return `${place},"cut":true${payload}${this.#bytes('tail', frame.tail ?? new Uint8Array(0), frame.redacted)}`;
  }

  #bytes(name: '' | 'tail', bytes: Uint8Array, redacted: true | undefined): string {
    const buffer = bufferOf(bytes);
    const text = buffer.toString();
    const textName = name || 'text';
    if (isUtf8(bytes)) return this.#text(textName, text, redacted);
    if (this.#redact(text) !== text) return this.#text(textName, text, redacted); // redaction takes precedence over exact bytes
    return `,"${name ? 'tailBase64' : 'base64'}":"${buffer.toString('base64')}"${redacted ? ',"redacted":true' : ''}`;
  }

  #text(name: string, text: string, redacted: true | undefined): string {
    const kept = this.#redact(text);
    return `,"${name}":${JSON.stringify(kept)}${redacted || kept !== text ? ',"redacted":true' : ''}`;
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function rest(fields: Record<string, unknown>): string {
  const json = JSON.stringify(fields);
  return json === '{}' ? '' : `,${json.slice(1, -1)}`;
}

/** Upper bound for the numbers of a line and the text between them. */
const MOST_BYTES_BETWEEN = 200;
const atMs = Buffer.from(',"atMs":');
const offset = Buffer.from(',"offset":');
const length = Buffer.from(',"length":');
const text = Buffer.from(',"text":"');
const end = Buffer.from('"}');
/** The decimals of a number as JSON writes them: '', '.001' … '.999'. */
const decimals = Array.from({ length: 1000 }, (_, thousandths) => Buffer.from(String(thousandths / 1000).slice(1)));

/**
 * Writes the lines of plain frames (printable ASCII, as most messages) byte by byte into a buffer. The result equals `EventLines.encode`
 * at half the cost; a test compares the two.
 */
class PlainFrameLines {
  readonly #start: Buffer;
  /** The common part of all frames of one process run, which is the same for thousands of them. */
  #server: string | undefined;
  #life = 0;
  #origins = new Map<FlowDirection, Buffer>();

  constructor(run: string) {
    this.#start = Buffer.from(`{"run":${JSON.stringify(run)},"seq":`);
  }

  /** Returns false without writing anything if the frame is not plain. */
  write(frame: CapturedFrame, into: LineBuffer): boolean {
    if (frame.http) return false;
    const origin = this.#originOf(frame);
    into.beginLine(this.#start.length + origin.length + MOST_BYTES_BETWEEN + 2 * frame.length);
    into.bytes(this.#start);
    into.number(frame.seq);
    into.bytes(atMs);
    const us = Math.round(frame.atMs * 1000);
    into.number(Math.floor(us / 1000));
    into.bytes(decimals[us % 1000]!);
    into.bytes(origin);
    if (frame.offset !== undefined) {
      into.bytes(offset);
      into.number(frame.offset);
    }
    into.bytes(length);
    into.number(frame.length);
    into.bytes(text);
    if (!into.escaped(frame.block, frame.start, frame.start + frame.length)) {
      into.dropLine();
      return false;
    }
    into.bytes(end);
    into.endLine();
    return true;
  }

  #originOf({ server, life, direction }: CapturedFrame): Buffer {
    if (server !== this.#server || life !== this.#life) {
      this.#server = server;
      this.#life = life;
      this.#origins.clear();
    }
    let origin = this.#origins.get(direction);
    if (!origin) {
      const name = `,"server":${JSON.stringify(server)},"life":${life}`;
      origin = Buffer.from(`${name},"kind":"${kindOf('frame', direction)}","direction":"${direction}"`);
      this.#origins.set(direction, origin);
    }
    return origin;
  }
}
