// The API with real servers, as the page uses it.

import { expect, test } from 'vitest';
import type {
  CallStarted,
  CallUpdate,
  EventDetail,
  EventPage,
  LatencyReport,
  Overview,
  SearchPage,
  ServerOffer,
  StderrPage,
} from '../../src/app/inspector/api.ts';
import { until } from '../fixtures/server.ts';
import { serverConfig } from '../fixtures/server-config.ts';
import { inspectHost, kindsOf, legacy, modern } from './inspecting.ts';

test('the overview lists each server with its state, processes and problems', async () => {
  const page = await inspectHost([legacy(), modern()]);
  const overview = await page.get<Overview>('overview');
  expect(overview).toMatchObject({ canAct: true, source: { kind: 'host', live: true }, dropped: { events: 0 } });
  expect(overview.servers.map(({ name, status }) => [name, status?.state, status?.revision])).toEqual([
    ['legacy', 'ready', '2025-11-25'],
    ['modern', 'ready', '2026-07-28'],
  ]);
  const [life] = overview.servers[0]!.lives;
  expect(life).toMatchObject({ life: 1, pid: overview.servers[0]!.status!.pid });
  expect(life!.command).toContain('legacy.mjs');
  expect(life!.readyAtMs).toBeGreaterThan(life!.startedAtMs);
  expect(kindsOf(overview.problems)).toEqual(['era-fallback']);
  expect(overview.problems).toContainEqual(
    expect.objectContaining({ kind: 'era-fallback', server: 'legacy', count: 1, seq: expect.any(Number) }),
  );
});

test('returns events in pages, and pairs requests with their answers', async () => {
  const page = await inspectHost([legacy()]);
  await page.host.callTool('legacy', 'hello', { name: 'Ada' });
  const whole = await page.get<EventPage>('events?after=0&limit=5000');
  expect(whole.rows.map(({ seq }) => seq)).toEqual(whole.rows.map((_, i) => i + 1));
  expect(whole).toMatchObject({ oldest: 1, newest: whole.rows.length });

  const request = whole.rows.find(({ tool, direction }) => tool === 'hello' && direction === 'toServer')!;
  const answer = whole.rows.find(({ seq }) => seq === request.pairSeq)!;
  expect(request).toMatchObject({ kind: 'frame', type: 'request', method: 'tools/call', latencyMs: answer.latencyMs });
  expect(answer).toMatchObject({
    direction: 'fromServer',
    type: 'response',
    method: 'tools/call',
    pairSeq: request.seq,
  });
  expect(answer.id).toBe(request.id);

  const first = await page.get<EventPage>('events?after=0&limit=3');
  expect(first.rows).toHaveLength(3);
  const before = await page.get<EventPage>(`events?before=${request.seq}&limit=2`);
  expect(before.rows.map(({ seq }) => seq)).toEqual([request.seq - 2, request.seq - 1]);
  const later = await page.get<EventPage>(`events?after=${request.seq}`);
  expect(later.updates).toContainEqual({ seq: request.seq, pairSeq: answer.seq, latencyMs: answer.latencyMs });
  await expect(page.get('events?after=x')).rejects.toThrow('400 "after" must be an integer');
});

test('an event has its size, text, JSON and position', async () => {
  const page = await inspectHost([legacy()]);
  const { rows } = await page.get<EventPage>('events?after=0');
  const answer = rows.find(({ method, type }) => method === 'initialize' && type === 'response')!;
  const detail = await page.get<EventDetail>(`events/${answer.seq}`);
  const bytes = Buffer.from(detail.base64, 'base64');
  expect(bytes.length).toBe(answer.size);
  expect(bytes.toString()).toBe(detail.text);
  expect(detail.json).toMatchObject({ result: { serverInfo: expect.anything() } });
  expect(detail).toMatchObject({ cut: false, redacted: false, problems: [], row: answer });
  expect(detail.offset).toBeGreaterThan(0);
  await expect(page.get('events/99999')).rejects.toThrow('404');
});

test('the offer of a server has tools, resources, templates, prompts and instructions', async () => {
  const page = await inspectHost([legacy('a server/with: odd name')]);
  const offer = await page.get<ServerOffer>(`servers/${encodeURIComponent('a server/with: odd name')}/offer`);
  expect(offer.tools.map(({ name }) => name)).toContain('hello');
  expect(offer).toMatchObject({
    resources: [{ uri: 'mem://a' }],
    resourceTemplates: [{ uriTemplate: 'mem://{x}' }],
    prompts: [{ name: 'p' }],
    instructions: 'be legacy',
    revision: '2025-11-25',
  });
  expect(offer.error).toBeUndefined();
  await expect(page.get('servers/nobody/offer')).rejects.toThrow('404 There is no server named "nobody"');
});

test('calls tools, resources and prompts, and keeps their outcomes in the history', async () => {
  const page = await inspectHost([legacy()]);
  const live = await page.live();
  const start = (call: object) => page.post<CallStarted>('servers/legacy/call', call);
  const ids = [
    await start({ kind: 'tool', name: 'hello', args: { name: 'Ada' } }),
    await start({ kind: 'resource', uri: 'mem://a' }),
    await start({ kind: 'prompt', name: 'p', args: {} }),
    await start({ kind: 'tool', name: 'never', args: {}, timeoutMs: 50 }),
  ].map(({ id }) => id);
  const over = (id: string) => live.all('call').find((call) => call.id === id && call.state !== 'running');
  await until('all calls are over', () => ids.every(over));
  expect(ids.map((id) => over(id)!.state)).toEqual(['done', 'done', 'done', 'failed']);
  expect(over(ids[0]!)).toMatchObject({
    server: 'legacy',
    result: { content: [{ text: 'Hello, Ada!' }] },
    durationMs: expect.any(Number),
  });
  expect(over(ids[3]!)!.error).toMatchObject({ code: 'REQUEST_TIMEOUT' });
  expect((await page.get<CallUpdate[]>('calls')).map(({ id }) => id)).toEqual(ids);
  await expect(start({ kind: 'tool' })).rejects.toThrow('400 The "name" of a tool must be a string');
  await expect(start({ kind: 'prompt', name: 'p', args: { n: 1 } })).rejects.toThrow('400');
});

test('cancels a call, and the server is notified', async () => {
  const page = await inspectHost([legacy()]);
  const { id } = await page.post<CallStarted>('servers/legacy/call', { kind: 'tool', name: 'never', args: {} });
  const wasSent = (text: string) => async () =>
    (await page.get<EventPage>('events?after=0')).rows.some(({ summary }) => summary.includes(text));
  await until('the call is sent', wasSent('"never"'));
  await page.delete(`calls/${id}`);
  await until('it is cancelled', async () => (await page.get<CallUpdate[]>('calls'))[0]!.state === 'cancelled');
  await until('the server is notified', wasSent('notifications/cancelled'));
  await expect(page.delete('calls/nothing')).rejects.toThrow('404');
});

test('reports latency by method and tool, with a point for each answer', async () => {
  const page = await inspectHost([legacy()]);
  for (const name of ['a', 'b', 'c']) await page.host.callTool('legacy', 'hello', { name });
  const { rows, points } = await page.get<LatencyReport>('latency');
  const row = rows.find(({ tool }) => tool === 'hello')!;
  expect(row).toMatchObject({ server: 'legacy', method: 'tools/call', count: 3, errors: 0 });
  expect(row.p99Ms).toBeGreaterThanOrEqual(row.p50Ms);
  expect(points.filter(({ key }) => key === 'legacy tools/call hello')).toHaveLength(3);
});

test('searches stderr by line', async () => {
  const page = await inspectHost([serverConfig('talks', 'test/fixtures/inspector/talks-and-falls.mjs')]);
  const found = async (query: string) => (await page.get<StderrPage>(`stderr?${query}`)).lines.map(({ text }) => text);
  await until('it has printed output', async () => (await found('server=talks')).length >= 3);
  expect(await found('server=talks')).toEqual(['one apple', 'two pears', 'three <b>Äpfel</b>']);
  expect(await found('server=talks&search=APPLE')).toEqual(['one apple']);
  expect(await found('server=talks&life=2')).toEqual([]);
  expect(await found('server=other')).toEqual([]);
});

test('stops, starts and restarts servers', async () => {
  const page = await inspectHost([legacy()]);
  const live = await page.live();
  const state = () => page.host.status()[0]!.state;
  expect(await page.post('servers/legacy/stop', {})).toEqual({ ok: true });
  expect(state()).toBe('stopped');
  expect(await page.post('servers/legacy/start', {})).toEqual({ ok: true });
  expect(await page.post('servers/legacy/restart', {})).toEqual({ ok: true });
  expect(state()).toBe('ready');
  await until('the page shows three runs', () => live.all('servers').at(-1)?.[0]?.lives.length === 3);
  const { problems } = await page.get<Overview>('overview');
  expect(kindsOf(problems)).toEqual(['era-fallback']);
  await expect(page.post('servers/nobody/stop', {})).rejects.toThrow('404');
});

test('reports why a server cannot be started', async () => {
  const page = await inspectHost([serverConfig('missing', 'x', { command: 'no-such-command-anywhere' })]);
  const result = await page.post('servers/missing/start', {});
  expect(result).toMatchObject({ ok: false, error: expect.stringContaining('no-such-command-anywhere') });
});

test('shows a LiteMCP server beside others: calls, pairs, latency, without false problems', async () => {
  const calculator = serverConfig('calculator', 'examples/litemcp/calculator.mjs', { protocol: 'litemcp' });
  const page = await inspectHost([calculator, legacy()]);
  const { tools } = await page.get<ServerOffer>('servers/calculator/offer');
  const { id } = await page.post<CallStarted>('servers/calculator/call', {
    kind: 'tool',
    name: tools[0]!.name,
    args: { a: 2, b: 3 },
  });
  const call = async () => (await page.get<CallUpdate[]>('calls')).find((each) => each.id === id)!;
  await until('it is over', async () => (await call()).state !== 'running');
  expect(await call()).toMatchObject({ state: 'done', result: { content: [{ text: '5' }] } });
  const { rows } = await page.get<EventPage>('events?after=0');
  const request = rows.find(({ server, method }) => server === 'calculator' && method === 'call')!;
  expect(rows.find(({ seq }) => seq === request.pairSeq)).toMatchObject({
    method: 'result',
    latencyMs: request.latencyMs,
  });
  const latency = await page.get<LatencyReport>('latency');
  expect(latency.rows).toContainEqual(expect.objectContaining({ server: 'calculator', method: 'call', count: 1 }));
  expect(latency.points.some(({ key }) => key.startsWith('calculator call '))).toBe(true);
  const { problems, servers } = await page.get<Overview>('overview');
  expect(kindsOf(problems.filter(({ server }) => server === 'calculator'))).toEqual([]);
  expect(servers[0]).toMatchObject({ name: 'calculator', status: { protocol: 'litemcp', state: 'ready' } });
});

test('finds text deep inside a message, by its event', async () => {
  const page = await inspectHost([legacy()]);
  const name = `${'far '.repeat(20_000)}Needle in a "haystack"`;
  await page.host.callTool('legacy', 'hello', { name });
  const search = (text: string, more = '') => page.get<SearchPage>(`search?text=${encodeURIComponent(text)}${more}`);
  const { rows, newest } = await page.get<EventPage>('events?after=0&limit=5000');
  const [request, answer] = rows.filter(({ tool }) => tool === 'hello').map(({ seq }) => seq);
  expect(await search('needle in a "HAYSTACK"')).toEqual({ found: [request, answer], searchedSeq: newest, newest });
  expect((await search('needle', `&after=${request}`)).found).toEqual([answer]);
  expect((await search('not to be found')).found).toEqual([]);
  await expect(search('')).rejects.toThrow('400 "text" is required');
  await expect(search('x'.repeat(1_001))).rejects.toThrow('400');
  await expect(search('x', '&after=y')).rejects.toThrow('400 "after" must be an integer');
});
