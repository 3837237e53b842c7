import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventStream } from './event-stream.ts';

type Seen = ['data' | 'id' | 'tooLong' | 'retry', string] | ['other', string, string];

function read(chunks: readonly Uint8Array[], maxBytes = 1000): Seen[] {
  const seen: Seen[] = [];
  const stream = new EventStream(
    {
      data: (chunk, start, end) => seen.push(['data', Buffer.from(chunk.subarray(start, end)).toString()]),
      other: (type, data) => seen.push(['other', type, data]),
      id: (id) => seen.push(['id', id]),
      retry: (ms) => seen.push(['retry', String(ms)]),
      tooLong: () => seen.push(['tooLong', '']),
    },
    maxBytes,
  );
  for (const chunk of chunks) stream.push(chunk);
  return seen;
}

const TEXT =
  '\uFEFFid: 7\r\nretry: 20\r\ndata: {"a":1}\r\n\r\nevent: endpoint\ndata:/x\n\ndata: one\rdata:\rdata: two\r\rdata\ndata:\ndata: after\n\nid\ndata: last\n\n';
const EVENTS: Seen[] = [
  ['retry', '20'],
  ['id', '7'],
  ['data', '{"a":1}'],
  ['other', 'endpoint', '/x'],
  ['data', 'one\n\ntwo'],
  ['data', '\n\nafter'],
  ['id', ''],
  ['data', 'last'],
];

test('returns the same events for any chunks', () => {
  const bytes = Buffer.from(TEXT);
  const places = fc.array(fc.nat(bytes.length), { maxLength: 20 });
  fc.assert(
    fc.property(places, (cuts) => {
      const ends = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const chunks = ends.slice(1).map((end, index) => bytes.subarray(ends[index], end));
      expect(read(chunks)).toEqual(EVENTS);
    }),
  );
  expect(read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(EVENTS);
});

test('reports an event that is too long, and no other', () => {
  const long = Buffer.from(
    `data: ${'x'.repeat(200)}\n\ndata: ${'y'.repeat(60)}\ndata: ${'y'.repeat(60)}\n\ndata: short\n\n`,
  );
  const expected: Seen[] = [
    ['tooLong', ''],
    ['tooLong', ''],
    ['data', 'short'],
  ];
  expect(read([long], 100)).toEqual(expected);
  expect(
    read(
      [...long].map((byte) => Uint8Array.of(byte)),
      100,
    ),
  ).toEqual(expected);
});

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

test('lines and pieces of one byte use little more memory than their bytes', () => {
  const count = 200_000;
  for (const [piece, times] of [
    [Buffer.from('x'), count],
    [Buffer.from('data\n'.repeat(100)), count / 100],
  ] as const) {
    const stream = new EventStream(
      {
        data: () => undefined,
        other: () => undefined,
        id: () => undefined,
        retry: () => undefined,
        tooLong: () => undefined,
      },
      count,
    );
    collect();
    const before = process.memoryUsage();
    for (let sent = 0; sent < times; sent++) stream.push(Buffer.from(piece));
    collect();
    const after = process.memoryUsage();
    const held = after.heapUsed + after.external - before.heapUsed - before.external;
    stream.push(Buffer.from('\n\n'));
    expect(held).toBeLessThan(10 * count);
  }
});
