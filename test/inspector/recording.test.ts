// Recordings of a real host, damaged recordings, and a large one.

import { appendFile, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EventDetail, EventPage, LatencyReport, Overview, StderrPage } from '../../src/app/inspector/api.ts';
import { recordingSource } from '../../src/app/inspector/sources/recording-source.ts';
import { Host } from '../../src/host/host.ts';
import { record } from '../../src/observe/record/recorder.ts';
import { later } from '../fixtures/later.ts';
import { usually } from '../fixtures/repetitions.ts';
import { serverConfig } from '../fixtures/server-config.ts';
import { legacy, openPage } from './inspecting.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standpipe-recording-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function recordRun(file: string): Promise<Host> {
  const host = new Host([legacy(), serverConfig('talks', 'test/fixtures/inspector/talks-and-falls.mjs')]);
  later(() => host.stop());
  const recorder = record(host.flow, { file });
  await host.start();
  await host.callTool('legacy', 'hello', { name: 'Ada' });
  await host.callTool('talks', 'fall').catch(() => undefined); // the server crashes
  await host.stop();
  await recorder.close();
  return host;
}

test('a recording shows the same data as the live view, read-only', async () => {
  const file = join(folder, 'run.jsonl');
  const host = await recordRun(file);
  const page = await openPage(recordingSource(file));
  const overview = await page.get<Overview>('overview');
  expect(overview).toMatchObject({ canAct: false, totalEvents: host.flow.lastSeq, dropped: { events: 0 } });
  expect(overview.source).toEqual({
    kind: 'recording',
    title: 'run.jsonl',
    live: false,
    startedAt: host.flow.startedAt.toISOString(),
  });
  expect(overview.servers.map(({ name, lives }) => [name, lives[0]?.exitCode])).toEqual([
    ['legacy', 0],
    ['talks', 9],
  ]);
  expect(overview.problems.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['exit-with-error', 'stdout-pollution', 'era-fallback']),
  );
  const { rows } = await page.get<EventPage>('events?after=0&limit=5000');
  const request = rows.find(({ tool }) => tool === 'hello')!;
  expect(rows.find(({ seq }) => seq === request.pairSeq)).toMatchObject({ latencyMs: request.latencyMs });
  const recorded = host.flow.get(request.seq)!;
  expect(request.atMs).toBeCloseTo(recorded.atMs, 2);
  expect((await page.get<EventDetail>(`events/${request.seq}`)).json).toMatchObject({ method: 'tools/call' });
  expect((await page.get<LatencyReport>('latency')).rows.some(({ tool }) => tool === 'hello')).toBe(true);
  expect((await page.get<StderrPage>('stderr?search=i%20fall')).lines).toHaveLength(1);
  await expect(page.post('servers/legacy/stop', {})).rejects.toThrow('409 A recording can only be watched');
  await expect(page.post('servers/legacy/call', {})).rejects.toThrow('409');
  const live = await page.live('after=0');
  await expect.poll(() => live.rows.length).toBe(overview.totalEvents);
});

test('shows two runs in one file as two processes on one clock', async () => {
  const file = join(folder, 'two.jsonl');
  await recordRun(file);
  await recordRun(file);
  const page = await openPage(recordingSource(file));
  const { servers } = await page.get<Overview>('overview');
  const lives = servers.find(({ name }) => name === 'legacy')!.lives;
  expect(lives.map(({ life }) => life)).toEqual([1, 2]);
  expect(lives[1]!.startedAtMs).toBeGreaterThan(lives[0]!.endedAtMs!);
  expect(servers.map(({ name }) => name).sort()).toEqual(['legacy', 'talks']);
});

test('shows damage and gaps at their position, and all other events', async () => {
  const file = join(folder, 'damaged.jsonl');
  const event = (seq: number) =>
    `{"run":"r","seq":${seq},"atMs":${seq},"server":"s","life":1,"kind":"note","text":"n${seq}"}\n`;
  await writeFile(file, `{"standpipe":"recording","version":1,"run":"r","startedAt":"2026-01-02T03:04:05.000Z"}\n`);
  await appendFile(file, `${event(1)}${event(5)}this is no JSON\n${event(6)}${event(7).slice(0, 20)}`);
  const page = await openPage(recordingSource(file));
  const { rows } = await page.get<EventPage>('events?after=0');
  expect(rows.map(({ summary }) => summary)).toEqual([
    'n1',
    '3 events are missing here in the recording',
    'n5',
    expect.stringMatching(/^Damaged at byte \d+ \(15 bytes\): Not a JSON object$/),
    'n6',
    expect.stringContaining('The last line is incomplete'),
  ]);
  expect((await page.get<Overview>('overview')).dropped.events).toBe(3);
});

test('refuses a file that is not a recording, with a reason', async () => {
  await expect(openPage(recordingSource(join(folder, 'nothing.jsonl')))).rejects.toThrow('there is no such file');
  await expect(openPage(recordingSource(join(folder, 'no', 'folder.jsonl')))).rejects.toThrow('cannot be read');
  const text = join(folder, 'text.txt');
  await writeFile(text, 'hello\nworld\n');
  await expect(openPage(recordingSource(text))).rejects.toThrow('it is not a recording');
});

const MANY = usually(20_000, 200_000);

test(`reads ${MANY} events and returns them in pages`, async () => {
  const file = join(folder, 'large.jsonl');
  await writeLarge(file, MANY);
  const page = await openPage(recordingSource(file));
  const overview = await page.get<Overview>('overview');
  expect(overview).toMatchObject({ totalEvents: MANY, dropped: { events: 0 } });

  let after = 0;
  let paired = 0;
  for (;;) {
    const { rows } = await page.get<EventPage>(`events?after=${after}&limit=5000`);
    if (rows.length === 0) break;
    paired += rows.filter(({ pairSeq }) => pairSeq !== undefined).length;
    after = rows.at(-1)!.seq;
  }
  expect(after).toBe(MANY);
  expect(paired).toBe(MANY);
});

async function writeLarge(file: string, events: number): Promise<void> {
  const handle = await open(file, 'w');
  await handle.write(
    '{"standpipe":"recording","version":1,"run":"r","startedAt":"2026-01-02T03:04:05.000Z","about":{}}\n',
  );
  let lines = '';
  for (let seq = 1; seq <= events; seq++) {
    const id = Math.ceil(seq / 2);
    const isRequest = seq % 2 === 1;
    const message = isRequest
      ? {
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: { name: `tool${id % 50}`, arguments: { city: 'Oslo', id } },
        }
      : { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: `It is ${id} degrees in Oslo` }] } };
    const text = JSON.stringify(message);
    const direction = isRequest ? 'toServer' : 'fromServer';
    const event = { run: 'r', seq, atMs: seq / 10, server: `server${id % 4}`, life: 1, kind: 'frame', direction };
    lines += `${JSON.stringify({ ...event, length: text.length, text })}\n`;
    if (lines.length < 1e6 && seq < events) continue;
    await handle.write(lines);
    lines = '';
  }
  await handle.close();
}
