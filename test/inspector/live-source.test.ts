// Taps and hosts in other processes, found by their announcements.

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type {
  CallStarted,
  CallUpdate,
  EventPage,
  ExchangeReport,
  Overview,
  TaskDetail,
  TaskSummary,
} from '../../src/app/inspector/api.ts';
import { liveSource } from '../../src/app/inspector/sources/live-source.ts';
import { ManualClock } from '../../src/base/clock.ts';
import { serveControl } from '../../src/host/control/control-server.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import { FlowStore } from '../../src/observe/flow/store.ts';
import { type Announced, announce } from '../../src/observe/live/announce.ts';
import { findLive } from '../../src/observe/live/find-live.ts';
import { RestoredFlow } from '../../src/observe/record/restored-flow.ts';
import { Peer } from '../../src/wire/jsonrpc/peer.ts';
import { StreamTransport } from '../../src/wire/transport/stream-transport.ts';
import { later } from '../fixtures/later.ts';
import { until } from '../fixtures/server.ts';
import { serverConfig } from '../fixtures/server-config.ts';
import { kindsOf, legacy, openPage } from './inspecting.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sp-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A tap in this process, whose flow the test writes. */
async function fakeTap(name: string): Promise<{ flow: FlowStore; announced: Announced }> {
  const flow = new FlowStore();
  const announced = await announce(flow, { kind: 'tap', name }, { folder });
  later(async () => announced.close());
  return { flow, announced };
}

async function announcedHost(servers = [legacy()]): Promise<Host> {
  const host = new Host(servers);
  later(() => host.stop());
  await host.start();
  const control = await serveControl(host, join(folder, `${Math.random().toString(36).slice(2, 8)}.ctl`));
  later(() => control.close());
  const announced = await announce(host.flow, { kind: 'host', name: 'a host', control: control.path }, { folder });
  later(async () => announced.close());
  return host;
}

// On Windows such a host listens at another name.
test.skipIf(process.platform === 'win32')('a host whose socket has another version can only be watched', async () => {
  const flow = new FlowStore();
  flow.begin('weather').add({ kind: 'state', from: 'stopped', to: 'starting', reason: 'by hand' });
  const control = join(folder, 'other-version.ctl');
  const listener = createServer((socket) => void new Peer(StreamTransport.over(socket)).start()).listen(control);
  later(async () => void listener.close());
  await once(listener, 'listening');
  const announced = await announce(flow, { kind: 'host', name: 'an older host', control }, { folder });
  later(async () => announced.close());
  const source = liveSource({ folder });
  later(() => source.close());
  await source.open?.();
  expect(source.host).toBeUndefined();
  await until('its events are here', () => source.flow.since(0).some(({ server }) => server === 'weather'));
});

test('watches a real tap between a host and its server, and keeps the evidence of its end', async () => {
  const tapped = serverConfig('tapped', '', {
    args: [
      'dist/cli/main.cjs',
      'tap',
      '--name',
      'weather',
      '--',
      process.execPath,
      'test/fixtures/mcp-client/legacy.mjs',
      devNull,
    ],
    env: { XDG_RUNTIME_DIR: folder, LOCALAPPDATA: folder },
  });
  const host = new Host([tapped]);
  later(() => host.stop());
  await host.start();
  const runtime = join(folder, 'standpipe');
  await until('it is announced', async () => (await findLive(runtime)).length === 1);
  const page = await openPage(liveSource({ folder: runtime }));
  const overview = await page.get<Overview>('overview');
  expect(overview).toMatchObject({ canAct: false, source: { kind: 'tap', live: true } });
  expect(overview.servers.map(({ name }) => name)).toEqual(['weather']);
  expect(kindsOf(overview.problems)).toEqual(['era-fallback']);

  const live = await page.live();
  await host.callTool('tapped', 'hello', { name: 'Ada' });
  await until('the call passes', () => live.rows.filter(({ tool }) => tool === 'hello').length === 2);
  await expect(page.post('servers/weather/stop', {})).rejects.toThrow('409 A tap can only be watched');
  await host.stop();
  await until('its end is reported', () => live.rows.some(({ summary }) => summary.includes('has ended')));
  const after = await page.get<Overview>('overview');
  expect(after.servers[0]!.lives[0]).toMatchObject({ exitCode: 0 });
  const { rows } = await page.get<EventPage>('events?after=0');
  expect(rows.some(({ tool }) => tool === 'hello')).toBe(true);
});

test('controls a host in another process', async () => {
  await announcedHost();
  const page = await openPage(liveSource({ folder }));
  const overview = await page.get<Overview>('overview');
  expect(overview).toMatchObject({ canAct: true, source: { kind: 'host', live: true } });
  expect(overview.servers).toMatchObject([{ name: 'legacy', status: { state: 'ready' }, lives: [{ life: 1 }] }]);
  const live = await page.live();
  const { id } = await page.post<CallStarted>('servers/legacy/call', {
    kind: 'tool',
    name: 'hello',
    args: { name: 'A' },
  });
  const done = (call: CallUpdate) => call.id === id && call.state === 'done';
  await until('it is called', () => live.all('call').some(done));
  expect(live.all('call').find(done)!.result).toMatchObject({ content: [{ text: 'Hello, A!' }] });
  expect(await page.post('servers/legacy/restart', {})).toEqual({ ok: true });
  await until('the new run is shown', () => live.all('servers').at(-1)?.[0]?.lives.length === 2);
  expect(
    (await page.get<{ tools: { name: string }[] }>('servers/legacy/offer')).tools.map(({ name }) => name),
  ).toContain('ask');
});

test('keeps servers of the same name apart, and continues a name when its tap is restarted', async () => {
  const host = await announcedHost();
  const tap = await fakeTap('legacy');
  tap.flow.begin('legacy').add({ kind: 'spawn', pid: 1, command: 'first' });
  const page = await openPage(liveSource({ folder }));
  const live = await page.live('after=0');
  const names = async () => (await page.get<Overview>('overview')).servers.map(({ name }) => name).sort();
  const other = `legacy (tap ${process.pid})`;
  expect(await names()).toEqual(['legacy', other]);
  await expect(page.post(`servers/${encodeURIComponent(other)}/stop`, {})).rejects.toThrow('409');
  expect(host.status()[0]!.state).toBe('ready');

  tap.announced.close();
  await until('its end is reported', () => live.rows.some(({ summary }) => summary.includes('has ended')));
  const again = await fakeTap('legacy');
  again.flow.begin('legacy').add({ kind: 'spawn', pid: 2, command: 'second' });
  await until('it is found during the search', () => live.rows.some(({ summary }) => summary.includes('second')));
  expect(await names()).toEqual(['legacy', other]);
  const { servers } = await page.get<Overview>('overview');
  expect(servers.find(({ name }) => name === other)!.lives.map(({ life, command }) => [life, command])).toEqual([
    [1, 'first'],
    [2, 'second'],
  ]);
});

test('orders events of several taps by time', async () => {
  const taps = [await fakeTap('a'), await fakeTap('b'), await fakeTap('c')];
  const sources = taps.map(({ flow }, i) => flow.begin('abc'[i]!));
  for (let i = 0; i < 300; i++) {
    sources[i % 3]!.add({ kind: 'note', text: `${i}` });
    if (i % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const page = await openPage(liveSource({ folder }));
  let rows: EventPage['rows'] = [];
  await until('the events of all taps are there', async () => {
    ({ rows } = await page.get<EventPage>('events?after=0'));
    return rows.length === 300;
  });
  expect(rows.map(({ atMs }) => atMs)).toEqual(rows.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
  expect(rows[0]!.atMs).toBeGreaterThanOrEqual(0);
});

test('the clock starts with the earliest of several taps, whichever is read first', () => {
  const restored = new RestoredFlow();
  const later = { run: 'later', startedAt: new Date(5_000) };
  const earlier = { run: 'earlier', startedAt: new Date(2_000) };
  for (const origin of [later, earlier]) restored.expect(origin);
  const note = { seq: 1, server: 'a', life: 1, kind: 'note', text: 'first' } as const;
  restored.add(earlier, { ...note, atMs: 1 });
  restored.add(later, { ...note, atMs: 2 });
  expect(restored.startedAt).toEqual(earlier.startedAt);
  expect([restored.store.get(1)?.atMs, restored.store.get(2)?.atMs]).toEqual([1, 3_002]);
});

test('shows an empty view if no tap or host is running', async () => {
  const page = await openPage(liveSource({ folder: join(folder, 'empty') }));
  expect(await page.get<Overview>('overview')).toMatchObject({ servers: [], canAct: false, source: { live: true } });
});

test('the clock controls the wait for earlier events and the interval of the search', async () => {
  const tap = await fakeTap('first');
  tap.flow.begin('first').add({ kind: 'note', text: 'before' });
  const clock = new ManualClock();
  const source = liveSource({ folder, clock });
  let opened = false;
  const opening = source.open!().then(() => {
    opened = true;
  });
  later(() => source.close());
  await until('it searches once, and waits', () => clock.pending === 2);
  expect(opened).toBe(false);
  expect(source.flow.lastSeq).toBe(0);
  await until('it has opened without further events', async () => {
    if (!opened) clock.advance(100);
    return opened;
  });
  await opening;
  await until('earlier events have arrived, before or after the opening', () => {
    clock.advance(100);
    return source.flow.lastSeq === 1;
  });
  expect(source.flow.get(1)).toMatchObject({ server: 'first', text: 'before' });

  const second = await fakeTap('second');
  second.flow.begin('second').add({ kind: 'note', text: 'later' });
  await until('the other is found', async () => {
    clock.advance(1_000);
    return source.flow.lastSeq === 2;
  });
  expect(source.flow.get(2)).toMatchObject({ server: 'second', text: 'later' });
});

/** A host in this process that a client has used and is still connected to. */
async function usedHost(): Promise<Announced> {
  const host = new Host([legacy()]);
  later(() => host.stop());
  const announced = await announce(host.flow, { kind: 'host', name: 'used' }, { folder });
  later(async () => announced.close());
  const { url, token, close } = await serveHttp((name) => host.service(name), { observeClient: host.clients.observe });
  later(close);
  const client = new Client({ name: 'outside', version: '1' });
  later(() => client.close());
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/legacy`), { requestInit }));
  await client.listPrompts();
  return announced;
}

test('shows the clients of other hosts with their exchanges, and removes them with their host', async () => {
  const hosts = [await usedHost(), await usedHost()];
  const page = await openPage(liveSource({ folder }));
  const outside = async () => (await page.get<Overview>('overview')).clients.filter(({ name }) => name === 'outside');
  const connected = await outside();
  expect(new Set(connected.map(({ client }) => client)).size).toBe(2);
  expect(connected.map(({ closedAtMs }) => closedAtMs)).toEqual([undefined, undefined]);
  const { rows } = await page.get<EventPage>('events');
  const calls = rows.filter(({ direction, method }) => direction === 'fromClient' && method === 'prompts/list');
  const reports = calls.map(({ seq }) => page.get<ExchangeReport>(`exchanges/${seq}`));
  const servers = (await Promise.all(reports)).map(({ requests }) => requests.map(({ server }) => server));
  // The servers of both hosts have the same name; each call is shown with its own server.
  expect(servers.map(([client]) => client).sort()).toEqual(connected.map(({ client }) => client).sort());
  expect(new Set(servers.map(([, server]) => server)).size).toBe(2);
  for (const host of hosts) await host.close();
  await until('they are gone', async () => (await outside()).every(({ closedAtMs }) => closedAtMs !== undefined));
});

test('lists a call to another host that becomes a task once, and cancels it on demand', async () => {
  await announcedHost([serverConfig('slow', 'test/fixtures/tasks/slow-server.mjs', { tasks: { afterMs: 1 } })]);
  const page = await openPage(liveSource({ folder }));
  const { id } = await page.post<CallStarted>('servers/slow/call', { kind: 'tool', name: 'result', args: {} });
  let tasks: TaskSummary[] = [];
  await until('it is listed', async () => {
    tasks = await page.get<TaskSummary[]>('tasks');
    return tasks.length > 0;
  });
  expect(tasks).toMatchObject([{ server: 'slow', tool: 'result', status: 'working', callId: id, canAct: true }]);
  await page.delete(`tasks/${id}`);
  await until('it is cancelled', async () => {
    const [call] = await page.get<CallUpdate[]>('calls');
    return call!.state === 'cancelled';
  });
  await until('its end is seen', async () => (await page.get<TaskDetail>(`tasks/${id}`)).status === 'cancelled');
});
