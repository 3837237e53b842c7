// Parses a line of a recording to an event. Input is untrusted: a line that lacks a required member is rejected.

import type { FlowEvent, FlowFact, FrameFact } from '../flow/event.ts';
import { eventFields, fieldsOf, LONGEST_NAME } from '../flow/event-fields.ts';
import { kindOf, type RawLine } from './versions.ts';

/** `unknown`: valid, but of a kind that this version does not know. */
export type ParsedEvent = FlowEvent | 'unknown' | undefined;

export function parseEvent(line: RawLine): ParsedEvent {
  const { seq, atMs, server, life, kind } = line;
  if (!isNumber(seq) || !isNumber(atMs) || !isString(server) || !isNumber(life) || !isString(kind)) return undefined;
  if (server.length > LONGEST_NAME) return undefined;
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

/** Pure code calls `slice` on these and expects a copy. */
function plainBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}
