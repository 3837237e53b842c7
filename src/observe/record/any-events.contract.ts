// Arbitrary events and recordings of them, for the tests of this folder.

import fc from 'fast-check';
import type { FlowEvent, FlowFact } from '../flow/event.ts';
import { EventLines } from './event-line.ts';
import { type RecordingItem, readRecording } from './reader.ts';
import { headerLine } from './run-header.ts';

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => new TextEncoder().encode(text)),
);
const direction = fc.constantFrom(
  'toServer' as const,
  'fromServer' as const,
  'fromClient' as const,
  'toClient' as const,
);
const text = fc.string({ unit: 'grapheme' });
const id = fc.oneof(fc.nat(), text);
const http = fc.record({ exchange: fc.nat(), status: fc.nat(599) }, { requiredKeys: ['exchange'] });
const fact: fc.Arbitrary<FlowFact> = fc.oneof(
  fc.record({ kind: fc.constant('spawn' as const), command: text, pid: fc.nat() }),
  fc.record(
    { kind: fc.constant('frame' as const), direction, payload: bytes, length: fc.nat(), offset: fc.nat(), http },
    { requiredKeys: ['kind', 'direction', 'payload', 'length'] },
  ),
  fc.record({
    kind: fc.constant('frame' as const),
    direction,
    payload: bytes,
    length: fc.nat(),
    cut: fc.constant(true as const),
    tail: bytes,
  }),
  fc.record({
    kind: fc.constant('fault' as const),
    direction,
    code: fc.constantFrom('FRAME_TOO_LONG', 'FRAME_TRUNCATED', 'FRAME_LENGTH_INVALID'),
    offset: fc.nat(),
    length: fc.nat(),
    prefix: bytes,
  }),
  fc.record({ kind: fc.constant('stderr' as const), payload: bytes, length: fc.nat() }),
  fc.record(
    { kind: fc.constant('state' as const), from: text, to: text, reason: text },
    { requiredKeys: ['kind', 'from', 'to'] },
  ),
  fc.record({ kind: fc.constant('signal' as const), signal: text }),
  fc.record({
    kind: fc.constant('exit' as const),
    exitCode: fc.option(fc.nat(255)),
    signal: fc.option(fc.constantFrom('SIGKILL', 'SIGTERM')),
  }),
  fc.record({ kind: fc.constant('stop' as const), rung: text }),
  fc.record({ kind: fc.constant('error' as const), code: text, message: text }),
  fc.record({ kind: fc.constant('note' as const), text }),
  fc.record(
    {
      kind: fc.constant('client' as const),
      state: fc.constantFrom('opened' as const, 'known' as const, 'closed' as const),
      door: text,
      principal: text,
      name: text,
      version: text,
      revision: text,
      stateless: fc.constant(true as const),
    },
    { requiredKeys: ['kind', 'state', 'door'] },
  ),
  fc.record({ kind: fc.constant('link' as const), request: id, wire: text, wireLife: fc.nat(), direction, id }),
  fc.record(
    {
      kind: fc.constant('remote' as const),
      state: fc.constantFrom('connected' as const, 'known' as const, 'disconnected' as const),
      url: text,
      transport: text,
      revision: text,
      session: text,
      reason: text,
    },
    { requiredKeys: ['kind', 'state', 'url'] },
  ),
  fc.record(
    {
      kind: fc.constant('http' as const),
      state: fc.constantFrom('answered' as const, 'failed' as const, 'ended' as const),
      exchange: fc.nat(),
      method: text,
      url: text,
      requestHeaders: text,
      repeats: fc.nat(),
      status: fc.nat(599),
      responseHeaders: text,
      waitMs: fc.nat(),
      body: fc.constantFrom('json' as const, 'stream' as const, 'none' as const, 'other' as const),
      end: fc.constantFrom('complete' as const, 'cut' as const, 'aborted' as const),
      reason: text,
    },
    { requiredKeys: ['kind', 'state', 'exchange', 'method', 'url'] },
  ),
  fc.record(
    {
      kind: fc.constant('hop' as const),
      id,
      node: text,
      generation: fc.nat(),
      pid: fc.nat(),
      receivedMs: fc.nat(),
      answeredMs: fc.nat(),
      offsetMs: fc.integer(),
      uncertaintyMs: fc.nat(),
    },
    { requiredKeys: ['kind', 'id', 'node', 'receivedMs', 'answeredMs'] },
  ),
);
const event: fc.Arbitrary<FlowEvent> = fc
  .tuple(fact, text, fc.integer({ min: 1, max: 9 }), fc.nat(1e9))
  .map(([each, server, life, at]) => ({ seq: 1, atMs: at / 1000, server, life, ...each }));
export const anyEvents = fc
  .array(event, { minLength: 1, maxLength: 12 })
  .map((all) => all.map((each, i) => ({ ...each, seq: i + 1 })));

export function fileOf(all: FlowEvent[]): Buffer {
  const lines = new EventLines('r');
  const header = headerLine({ run: 'r', startedAt: new Date(), about: {} });
  return Buffer.from(`${[header, ...all.map((each) => lines.encode(each))].join('\n')}\n`);
}

export async function readAll(source: string | Buffer): Promise<RecordingItem[]> {
  const chunks =
    typeof source === 'string'
      ? source
      : (async function* () {
          yield source;
        })();
  const items: RecordingItem[] = [];
  for await (const item of readRecording(chunks)) items.push(item);
  return items;
}
export const eventsOf = (items: RecordingItem[]) =>
  items.flatMap((item) => (item.type === 'event' ? [item.event] : []));
export const damageOf = (items: RecordingItem[]) => items.filter((item) => item.type === 'damage');
