// Exports any number of events as a recording, without loss.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { EventDetail, EventPage, Overview } from '../../src/app/inspector/api.ts';
import { recordingSource } from '../../src/app/inspector/sources/recording-source.ts';
import type { InspectorSource } from '../../src/app/inspector/sources/source.ts';
import { FlowStore } from '../../src/observe/flow/store.ts';
import { type RecordingItem, readRecording } from '../../src/observe/record/reader.ts';
import { later } from '../fixtures/later.ts';
import { inspectHost, legacy, openPage, type Page } from './inspecting.ts';

function exported(page: Page, ranges: unknown): Promise<Response> {
  const { port, token } = page.inspector;
  const headers = { 'x-standpipe-token': token, 'content-type': 'application/json' };
  const body = JSON.stringify({ ranges });
  return fetch(`http://127.0.0.1:${port}/api/export`, { method: 'POST', headers, body });
}

async function itemsOf(response: Response): Promise<RecordingItem[]> {
  const items: RecordingItem[] = [];
  for await (const item of readRecording(response.body!)) items.push(item);
  return items;
}

function sourceOf(flow: FlowStore): InspectorSource {
  const { startedAt } = flow;
  return { kind: 'recording', title: 'made up', startedAt, live: false, flow, close: async () => undefined };
}

test('selected events open as a recording with all bytes, pairs and times', async () => {
  const page = await inspectHost([legacy()]);
  await page.host.callTool('legacy', 'hello', { name: 'Ada' });
  const { rows } = await page.get<EventPage>('events?after=0&limit=5000');
  const [request, answer] = rows.filter(({ tool }) => tool === 'hello');
  const response = await exported(page, [
    [1, 2],
    [request!.seq, request!.seq],
    [answer!.seq, answer!.seq],
  ]);
  expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  const folder = await mkdtemp(join(tmpdir(), 'standpipe-export-'));
  later(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'chosen.jsonl');
  await writeFile(file, Buffer.from(await response.arrayBuffer()));

  const again = await openPage(recordingSource(file));
  const overview = await again.get<Overview>('overview');
  expect(overview).toMatchObject({ totalEvents: 4, dropped: { events: 0 } });
  expect(overview.source.startedAt).toBe(page.host.flow.startedAt.toISOString());
  const { rows: read } = await again.get<EventPage>('events?after=0');
  expect(read.map(({ summary }) => summary)).toEqual([rows[0], rows[1], request, answer].map((row) => row!.summary));
  expect(read[2]).toMatchObject({ tool: 'hello', pairSeq: 4 });
  expect(read[2]!.atMs).toBeCloseTo(request!.atMs, 2);
  const original = await page.get<EventDetail>(`events/${answer!.seq}`);
  expect((await again.get<EventDetail>('events/4')).base64).toBe(original.base64);
});

test('exports everything in the store, and shows dropped events as a gap', async () => {
  const flow = new FlowStore({ maxEvents: 60_000, maxBytes: 1e9 });
  const source = flow.begin('s');
  for (let i = 1; i <= 61_000; i++) source.text('toServer', `{"jsonrpc":"2.0","method":"m","params":{"i":${i}}}`);
  const page = await openPage(sourceOf(flow));
  const everySecond = Array.from({ length: 30_000 }, (_, i) => [i * 2 + 2, i * 2 + 2]);
  const some = await itemsOf(await exported(page, everySecond));
  const numbers = some.flatMap((item) => (item.type === 'event' ? [item.event.seq] : []));
  expect(numbers).toEqual(Array.from({ length: 29_500 }, (_, i) => i + 501));
  expect(some.filter(({ type }) => type === 'gap')).toMatchObject([{ fromSeq: 1, toSeq: 500 }]);

  const all = await itemsOf(await exported(page, [[1, 61_000]]));
  expect(all.filter(({ type }) => type === 'event')).toHaveLength(60_000);
  const last = all.at(-1);
  expect(last?.type === 'event' && last.event.kind === 'frame' && String(Buffer.from(last.event.payload))).toContain(
    '"i":61000',
  );
});

test('refuses an invalid selection, and exports an empty recording for an empty one', async () => {
  const page = await inspectHost([legacy()]);
  for (const odd of [
    undefined,
    'x',
    [1],
    [[1]],
    [[2, 1]],
    [[0, 1]],
    [[1, 1.5]],
    [
      [3, 4],
      [4, 5],
    ],
    [['1', '2']],
  ]) {
    expect((await exported(page, odd)).status).toBe(400);
  }
  expect((await itemsOf(await exported(page, []))).map(({ type }) => type)).toEqual(['run']);
  expect((await itemsOf(await exported(page, [[1e9, 2e9]]))).map(({ type }) => type)).toEqual(['run']);
});

test('a page that disconnects during an export affects no other page', async () => {
  const flow = new FlowStore({ maxEvents: 60_000, maxBytes: 1e9 });
  const source = flow.begin('s');
  for (let i = 1; i <= 50_000; i++)
    source.text('toServer', `{"jsonrpc":"2.0","method":"m","params":"${'x'.repeat(500)}"}`);
  const page = await openPage(sourceOf(flow));
  const response = await exported(page, [[1, 50_000]]);
  const reader = response.body!.getReader();
  await reader.read();
  await reader.cancel();
  expect(await page.get<Overview>('overview')).toMatchObject({ totalEvents: 50_000 });
  expect((await itemsOf(await exported(page, [[1, 10]]))).filter(({ type }) => type === 'event')).toHaveLength(10);
});
