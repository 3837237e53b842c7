// Spans on their way to a collector that refuses, fails, hangs or returns.

import { expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { SpanQueue } from '../../src/host/telemetry/otlp-sender.ts';
import { type Collector, startCollector } from '../fixtures/collector.ts';

function queueFor({ endpoint }: Pick<Collector, 'endpoint'>) {
  const clock = new ManualClock();
  const notes: string[] = [];
  const bodyOf = (spans: readonly object[]) => ({
    resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: 'test' }, spans }] }],
  });
  const queue = new SpanQueue(
    { url: `${endpoint}/v1/traces?key=secret`, headers: {}, timeoutMs: 1_000 },
    { intervalMs: 100, maxQueued: 6, maxBatch: 2 },
    { clock, note: (text) => notes.push(text) },
    bodyOf,
  );
  const add = (...names: string[]) => {
    for (const name of names) queue.add({ name, attributes: [] });
  };
  return { queue, clock, notes, add };
}

const named = ({ spans }: Collector) => spans.map(({ name }) => name);

test('sends a full batch at once and the rest after the interval, in order', async () => {
  const collector = await startCollector();
  const { queue, clock, notes, add } = queueFor(collector);
  add('a', 'b', 'c', 'd', 'e');
  await queue.flush();
  expect(named(collector)).toEqual(['a', 'b', 'c', 'd', 'e']);
  add('f');
  clock.advance(99);
  expect(queue.queued).toBe(1);
  clock.advance(1);
  await expect.poll(() => named(collector).at(-1)).toBe('f');
  await queue.close();
  expect(clock.pending).toBe(0);
  expect([notes, queue.dropped]).toEqual([[], 0]);
});

test('keeps a bounded number of spans while the collector fails, and counts and reports the others once', async () => {
  const collector = await startCollector();
  const { queue, notes, add } = queueFor(collector);
  collector.answer = (_, response) => {
    response.writeHead(503).end('try later');
    return true;
  };
  for (let span = 0; span < 10; span++) {
    add(String(span));
    await queue.flush();
  }
  expect([queue.queued, queue.dropped]).toEqual([6, 4]);
  expect(notes).toEqual([
    `Cannot send telemetry to ${collector.endpoint}/v1/traces: status 503 (try later). Calls of servers are not affected`,
  ]);
  collector.answer = undefined;
  await queue.flush();
  expect(named(collector)).toEqual(['0', '1', '2', '3', '4', '5']);
  expect(notes.slice(1)).toEqual([
    `Telemetry is sent to ${collector.endpoint}/v1/traces again`,
    expect.stringContaining('4 spans were not delivered'),
  ]);
  await queue.close();
  expect(notes).toHaveLength(3);
});

test('does not repeat what the collector refuses, and counts what it accepts only in part', async () => {
  const collector = await startCollector();
  const { queue, notes, add } = queueFor(collector);
  collector.answer = (_, response) => {
    response.writeHead(400).end();
    return true;
  };
  add('a');
  await queue.flush();
  expect([queue.queued, queue.dropped]).toEqual([0, 1]);
  collector.answer = (_, response) => {
    response.end('{"partialSuccess":{"rejectedSpans":"1"}}');
    return true;
  };
  add('b');
  await queue.flush();
  expect(queue.dropped).toBe(2);
  expect(notes.at(-1)).toContain('2 spans were not delivered');
  await queue.close();
});

test('gives up a collector that does not answer: after its timeout, and 3 s after the end of the host', async () => {
  const collector = await startCollector();
  const { queue, clock, notes, add } = queueFor(collector);
  collector.answer = () => true;
  add('a');
  const first = queue.flush();
  await expect.poll(() => collector.requests.length).toBe(1);
  clock.advance(1_000);
  await first;
  expect(notes).toEqual([expect.stringContaining('no answer in 1000 ms')]);
  const closing = queue.close();
  await expect.poll(() => collector.requests.length).toBe(2);
  clock.advance(3_000);
  await closing;
  expect(queue.dropped).toBe(1);
});

test('does not follow a redirect, which would pass the headers on', async () => {
  const other = await startCollector();
  const collector = await startCollector();
  const { queue, notes, add } = queueFor(collector);
  collector.answer = (_, response) => {
    response.writeHead(307, { location: other.endpoint }).end();
    return true;
  };
  add('a');
  await queue.flush();
  await queue.close();
  expect(other.requests).toEqual([]);
  expect(notes[0]).toContain('Cannot send telemetry');
});
