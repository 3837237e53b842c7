// Parses a line of a recording to an event. Input is untrusted: a line that lacks a required member is rejected.

import type { FlowDirection, FlowEvent, FlowFact } from '../flow/event.ts';
import { parseHttp, parseRemote } from './parse-http.ts';
import type { RawLine } from './versions.ts';

/** `unknown`: valid, but of a kind that this version does not know. */
export type ParsedEvent = FlowEvent | 'unknown' | undefined;

/** Readers keep state for each server name and client, so the length of these texts is limited. */
const LONGEST_SERVER_NAME = 1000;

export function parseEvent(line: RawLine): ParsedEvent {
  const { seq, atMs, server, life, kind } = line;
  if (!isNumber(seq) || !isNumber(atMs) || !isString(server) || !isNumber(life) || !isString(kind)) return undefined;
  if (server.length > LONGEST_SERVER_NAME) return undefined;
  const read = Object.hasOwn(readers, kind) ? readers[kind as LineKind] : undefined;
  if (!read) return 'unknown';
  const fact = read(line);
  return fact && { seq, atMs, server, life, ...fact };
}

const faultCodes = ['FRAME_TOO_LONG', 'FRAME_TRUNCATED', 'FRAME_LENGTH_INVALID'] as const;

const ofServer: readonly FlowDirection[] = ['toServer', 'fromServer'];
const ofClient: readonly FlowDirection[] = ['fromClient', 'toClient'];

type LineKind = FlowFact['kind'] | 'client-frame' | 'client-fault';

const readers: { [Kind in LineKind]: (line: RawLine) => FlowFact | undefined } = {
  frame: (line) => readFrame(line, ofServer),
  'client-frame': (line) => readFrame(line, ofClient),
  fault: (line) => readFault(line, ofServer),
  'client-fault': (line) => readFault(line, ofClient),
  stderr(line) {
    const payload = readBytes(line.text, line.base64);
    return isNumber(line.length) && payload
      ? { kind: 'stderr', length: line.length, payload, ...redacted(line) }
      : undefined;
  },
  spawn: ({ command, pid }) => (isString(command) && isNumber(pid) ? { kind: 'spawn', command, pid } : undefined),
  state: ({ from, to, reason }) =>
    isString(from) && isString(to) ? { kind: 'state', from, to, ...(isString(reason) && { reason }) } : undefined,
  signal: ({ signal }) => (isString(signal) ? { kind: 'signal', signal } : undefined),
  exit: ({ exitCode, signal }) => ({
    kind: 'exit',
    exitCode: isNumber(exitCode) ? exitCode : null,
    signal: isString(signal) ? signal : null,
  }),
  stop: ({ rung }) => (isString(rung) ? { kind: 'stop', rung } : undefined),
  error: ({ code, message }) => (isString(code) && isString(message) ? { kind: 'error', code, message } : undefined),
  note: ({ text }) => (isString(text) ? { kind: 'note', text } : undefined),
  client({ state, door, principal, name, version, revision, stateless }) {
    const known = clientStates.find((each) => each === state);
    if (!known || !isString(door)) return undefined;
    const isLong = (text: unknown) => isString(text) && text.length > LONGEST_SERVER_NAME;
    if ([door, principal, name, version, revision].some(isLong)) return undefined;
    return {
      kind: 'client',
      state: known,
      door,
      ...(isString(principal) && { principal }),
      ...(isString(name) && { name }),
      ...(isString(version) && { version }),
      ...(isString(revision) && { revision }),
      ...(stateless === true && { stateless }),
    };
  },
  link({ request, wire, wireLife, direction, id }) {
    const way = [...ofServer, ...ofClient].find((each) => each === direction);
    if (!isId(request) || !isString(wire) || !isNumber(wireLife) || !way || !isId(id)) return undefined;
    if (wire.length > LONGEST_SERVER_NAME) return undefined;
    return { kind: 'link', request, wire, wireLife, direction: way, id };
  },
  remote: parseRemote,
  http: parseHttp,
  hop({ id, node, generation, pid, receivedMs, answeredMs, offsetMs, uncertaintyMs }) {
    if (!isId(id) || !isString(node) || node.length > LONGEST_SERVER_NAME) return undefined;
    if (!isNumber(receivedMs) || !isNumber(answeredMs)) return undefined;
    return {
      kind: 'hop',
      id,
      node,
      ...(isNumber(generation) && { generation }),
      ...(isNumber(pid) && { pid }),
      receivedMs,
      answeredMs,
      ...(isNumber(offsetMs) && { offsetMs }),
      ...(isNumber(uncertaintyMs) && { uncertaintyMs }),
    };
  },
};

const clientStates = ['opened', 'known', 'closed'] as const;

function readFrame(line: RawLine, directions: readonly FlowDirection[]): FlowFact | undefined {
  const { length, offset, cut, exchange, status } = line;
  const direction = directions.find((each) => each === line.direction);
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
    ...redacted(line),
  };
}

function readFault(line: RawLine, directions: readonly FlowDirection[]): FlowFact | undefined {
  const { offset, length } = line;
  const direction = directions.find((each) => each === line.direction);
  const code = faultCodes.find((each) => each === line.code);
  const prefix = readBytes(line.text, line.base64);
  if (!direction || !code || !isNumber(offset) || !isNumber(length) || !prefix) return undefined;
  return { kind: 'fault', direction, code, offset, length, prefix, ...redacted(line) };
}

function readBytes(text: unknown, base64: unknown): Uint8Array | undefined {
  if (isString(text)) return plainBytes(Buffer.from(text));
  return isString(base64) ? plainBytes(Buffer.from(base64, 'base64')) : undefined;
}

/** Pure code calls `slice` on these and expects a copy. */
function plainBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}

function redacted(line: RawLine): { redacted?: true } {
  return line.redacted === true ? { redacted: true } : {};
}

function isId(value: unknown): value is string | number {
  return isString(value) || isNumber(value);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}
