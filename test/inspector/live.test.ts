// Live updates of a page.

import { connect } from 'node:net';
import { expect, test } from 'vitest';
import type { CallStarted, EventDetail, EventPage, LatencyReport, Overview } from '../../src/app/inspector/api.ts';
import { later } from '../fixtures/later.ts';
import { until } from '../fixtures/server.ts';
import { serverConfig } from '../fixtures/server-config.ts';
import { inspectHost, kindsOf, legacy, modern } from './inspecting.ts';

const talks = serverConfig('talks', 'test/fixtures/inspector/talks-and-falls.mjs');

test('sends rows as they occur, and updates the rows of requests when they are answered', async () => {
  const page = await inspectHost([legacy()]);
  const live = await page.live();
  await until(
    'the first messages have arrived',
    () => live.all('servers').length > 0 && live.all('problems').length > 0,
  );
  await page.host.callTool('legacy', 'hello', { name: 'Ada' });
  await until('both rows are there', () => live.rows.filter(({ tool }) => tool === 'hello').length === 2);
  const [request, answer] = live.rows.filter(({ tool }) => tool === 'hello');
  expect(answer!.pairSeq).toBe(request!.seq);

  const { id } = await page.post<CallStarted>('servers/legacy/call', { kind: 'tool', name: 'never', args: {} });
  await until('it is sent', () => live.rows.some(({ tool }) => tool === 'never'));
  await page.delete(`calls/${id}`);
  const asked = live.rows.find(({ tool }) => tool === 'never')!;
  await until('its row is changed', () =>
    live
      .all('updates')
      .flat()
      .some(({ seq }) => seq === asked.seq),
  );
  expect(
    live
      .all('updates')
      .flat()
      .find(({ seq }) => seq === asked.seq),
  ).toMatchObject({ note: 'cancelled' });
});

test('a page that reconnects receives missed rows once and in order', async () => {
  const page = await inspectHost([legacy()]);
  const first = await page.live('after=0');
  await until('the rows of the start have arrived', () => first.rows.length >= 8);
  const known = first.rows.at(-1)!.seq;
  first.leave();
  for (let i = 0; i < 300; i++) await page.host.callTool('legacy', 'hello', { name: `${i}` });
  const second = await page.live(`after=${known}`);
  const { newest } = await page.get<EventPage>('events?limit=1');
  await until('it has caught up', () => second.rows.at(-1)?.seq === newest);
  expect(second.rows.map(({ seq }) => seq)).toEqual(Array.from({ length: newest - known }, (_, i) => known + 1 + i));
  await page.host.callTool('legacy', 'hello', {});
  await until('it continues', () => second.rows.at(-1)!.seq >= newest + 2);
});

test('a server that crashes leaves its evidence: rows, last output, exit, and a description of the problem', async () => {
  const page = await inspectHost([talks]);
  const live = await page.live('after=0');
  await page.post('servers/talks/call', { kind: 'tool', name: 'fall', args: {} });
  await until('the end is seen', () => live.all('servers').at(-1)?.[0]?.status?.state === 'failed');
  const [server] = live.all('servers').at(-1)!;
  expect(server!.lives.at(-1)).toMatchObject({ exitCode: 9, stderrTail: expect.stringContaining('I fall') });
  expect(server!.status!.lastExit!.evidence!.stderrTail).toContain('I fall');

  await until('the loss is reported', () =>
    live
      .all('problems')
      .at(-1)!
      .some(({ kind }) => kind === 'unanswered'),
  );
  const { problems } = await page.get<Overview>('overview');
  const found = Object.fromEntries(problems.map((problem) => [problem.kind, problem]));
  expect(kindsOf(problems).sort()).toEqual(['era-fallback', 'exit-with-error', 'stdout-pollution', 'unanswered']);

  const { rows } = await page.get<EventPage>('events?after=0');
  const noise = rows.find(({ seq }) => seq === found['stdout-pollution']!.seq)!;
  expect(noise).toMatchObject({ type: 'noise', summary: 'Listening on stdio …' });
  expect((await page.get<EventDetail>(`events/${noise.seq}`)).problems[0]).toContain('non-protocol text');
  const exit = await page.get<EventDetail>(`events/${found['exit-with-error']!.seq}`);
  expect(exit.evidence).toMatchObject({ phase: 'running', exitCode: 9, stderrTail: expect.stringContaining('I fall') });
  const lost = rows.find(({ seq }) => seq === found.unanswered!.seq)!;
  expect(lost).toMatchObject({ tool: 'fall', error: 'never answered: the process ended' });
});

test('a page that does not read its stream uses no memory and affects no other page', async () => {
  const page = await inspectHost([legacy()]);
  const { port, token } = page.inspector;
  const lazy = connect(port, '127.0.0.1');
  later(async () => void lazy.destroy());
  lazy.write(`GET /api/live?after=0&token=${token} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  lazy.pause();
  const source = page.host.flow.begin('flood');
  for (let i = 0; i < 60_000; i++) source.text('toServer', `{"jsonrpc":"2.0","method":"m","params":{"i":${i}}}`);
  const live = await page.live();
  source.add({ kind: 'note', text: 'the end' });
  await until('the other page is up to date', () => live.rows.at(-1)?.summary === 'the end');
});

test('resets a page that missed events which the store has dropped', async () => {
  const page = await inspectHost([legacy()]);
  const source = page.host.flow.begin('flood');
  for (let i = 0; i < 100_100; i++) source.add({ kind: 'note', text: `${i}` });
  const live = await page.live('after=5');
  await until('the stream ends', () => live.ended);
  expect(live.messages.map(({ name }) => name)).toEqual(['resync']);
  const { oldest, newest } = await page.get<EventPage>('events?limit=1');
  expect(newest - oldest + 1).toBe(100_000);
});

test.each([legacy(), modern()])('a question of a $name server is pending until the page answers', async (config) => {
  const page = await inspectHost([config]);
  const live = await page.live();
  const answered = page.host.callTool(config.name, 'ask', {});
  await until('it is asked', () => live.all('question').length === 1);
  const [question] = live.all('question');
  expect(question).toMatchObject({
    server: config.name,
    kind: 'elicit',
    params: { requestedSchema: expect.anything() },
  });

  const again = await page.live();
  await until('a page that is opened later sees it too', () => again.all('question').length === 1);
  await expect(page.post(`questions/${question!.id}`, { action: 'perhaps' })).rejects.toThrow('400');
  await page.post(`questions/${question!.id}`, { action: 'accept', content: { answer: 'Ada' } });
  expect(JSON.stringify(await answered)).toContain('Ada');
  await until('all pages are notified', () => again.all('answered').some(({ id }) => id === question!.id));
  await expect(page.post(`questions/${question!.id}`, { action: 'cancel' })).rejects.toThrow('404');
});

test('declines questions with a reason while no page is open', async () => {
  const page = await inspectHost([legacy()], { graceMs: 50 });
  expect(JSON.stringify(await page.host.callTool('legacy', 'ask', {}))).toContain('cancel');
  const result = JSON.stringify(await page.host.callTool('legacy', 'askMuch', {}));
  expect(result).toContain('The Inspector is not open');
});

test('accepts or refuses a text in place of a model', async () => {
  const page = await inspectHost([legacy()]);
  const live = await page.live();
  const result = page.host.callTool('legacy', 'askMuch', {});
  await until('all questions are pending', () => live.all('question').length === 3);
  const sample = live.all('question').find(({ kind }) => kind === 'sample')!;
  await expect(page.post(`questions/${sample.id}`, { role: 'assistant' })).rejects.toThrow('400');
  const message = { role: 'assistant', content: { type: 'text', text: 'as a model' }, model: 'a person' };
  await page.post(`questions/${sample.id}`, message);
  for (const { id, kind } of live.all('question'))
    if (kind === 'elicit') await page.post(`questions/${id}`, { refuse: 'no' });
  expect(JSON.stringify(await result)).toContain('as a model');
});

test('reports progress of a running call', async () => {
  const page = await inspectHost([serverConfig('slow', 'test/fixtures/inspector/reports-progress.mjs')]);
  const live = await page.live();
  const { id } = await page.post<CallStarted>('servers/slow/call', { kind: 'tool', name: 'count', args: {} });
  await until('it is done', () => live.all('call').some((call) => call.id === id && call.state === 'done'));
  const updates = live.all('call').filter((call) => call.id === id);
  expect(updates.map(({ progress }) => progress?.message)).toContain('half way');
  expect(updates.at(-1)!.progress).toBeUndefined();
});

test('completes rows that were recorded while no page was open', async () => {
  const page = await inspectHost([legacy()]);
  for (let i = 0; i < 600; i++) await page.host.callTool('legacy', 'hello', { name: `${i}` });
  const { rows } = await page.get<LatencyReport>('latency');
  expect(rows.find(({ tool }) => tool === 'hello')).toMatchObject({ count: 600, errors: 0 });
  const live = await page.live('after=0');
  await until('all rows are there', () => live.rows.filter(({ tool }) => tool === 'hello').length === 1_200);
  expect(live.rows.filter(({ tool, pairSeq }) => tool === 'hello' && pairSeq === undefined)).toEqual([]);
});
