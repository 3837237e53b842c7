// Delays of the recording pass by the clock of the service.

import { expect, test } from 'vitest';
import { clientOf } from '../../src/entry/client.ts';
import { ManualClock } from '../../src/entry/testing.ts';
import type { ReplayOptions } from '../../src/observe/replay/replay-service.ts';
import { until } from '../fixtures/server.ts';
import { textOf, WrittenRecording } from './written-recording.ts';

/** The answer takes 10 s with progress after 4 s; a log message follows 5 s later. */
function slow(): WrittenRecording {
  const recording = new WrittenRecording().initialize({ tools: {}, resources: {} });
  recording.request(1, 'tools/call', { name: 'slow', _meta: { progressToken: 1 } });
  recording.later(3_999).notify('notifications/progress', { progressToken: 1, progress: 1 });
  recording.later(5_999).text(1, 'done');
  return recording.later(4_999).notify('notifications/resources/list_changed');
}

async function begin(options: ReplayOptions) {
  const clock = new ManualClock();
  const client = await clientOf(slow().replay({ ...options, clock }), { checkOutput: false });
  clock.advance(0);
  const seen: string[] = [];
  client.onListChanged('resources', () => seen.push('changed'));
  const abort = new AbortController();
  const onProgress = () => seen.push('progress');
  const answer = client
    .callTool('slow', {}, { onProgress, signal: abort.signal })
    .then((result) => seen.push(textOf(result)))
    .catch((error: Error) => seen.push(error.message));
  return { clock, seen, answer, abort };
}

test.each([
  ['recorded', 1],
  [2, 2],
  [0.5, 0.5],
] as const)('%s', async (pace, factor) => {
  const { clock, seen, answer } = await begin({ pace });
  await until('the request waits', () => clock.pending > 0);
  clock.advance(4_000 / factor - 1);
  expect(seen).toEqual([]);
  clock.advance(1);
  await until('progress came', () => seen.length === 1 && clock.pending > 0);
  clock.advance(6_000 / factor - 1);
  expect(seen).toEqual(['progress']);
  clock.advance(1);
  await answer;
  expect(seen).toEqual(['progress', 'done']);
  await until('the rest waits', () => clock.pending > 0);
  clock.advance(0);
  await until('the rest waits for its time', () => clock.pending > 0);
  clock.advance(5_000 / factor - 1);
  expect(seen).toEqual(['progress', 'done']);
  clock.advance(1);
  await until('the notification came', () => seen.includes('changed'));
});

test('fast: nothing waits', async () => {
  const { clock, seen, answer } = await begin({});
  await answer;
  expect(seen).toEqual(['progress', 'done']);
  await until('the rest follows the answer', () => clock.pending > 0);
  clock.advance(0);
  await until('the notification came', () => seen.includes('changed'));
});

test('a request that is cancelled no longer waits', async () => {
  const { clock, seen, answer, abort } = await begin({ pace: 'recorded' });
  await until('the request waits', () => clock.pending > 0);
  abort.abort(new Error('gave up'));
  await answer;
  expect(seen).toEqual(['gave up']);
  expect(clock.pending).toBe(0);
});

test('times that go back or are far away do not matter', async () => {
  const recording = new WrittenRecording().initialize().later(9e11);
  recording.call(1, 'tool', {}, { atMs: 9e11 }).text(1, 'done', { atMs: 0 });
  const client = await recording.client({ pace: 'recorded' });
  expect(textOf(await client.callTool('tool', {}))).toBe('done');
});
