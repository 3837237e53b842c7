// Output of a hostile server is returned as data only.

import { expect, test } from 'vitest';
import type { CallUpdate, EventDetail, EventPage, Overview, ServerOffer } from '../../src/app/inspector/api.ts';
import { until } from '../fixtures/server.ts';
import { serverConfig } from '../fixtures/server-config.ts';
import { inspectHost } from './inspecting.ts';

const evil = '</script><img src=x onerror=alert(1)>\u001b]0;owned\u0007\u001b[2J\u202e';

test('returns names and contents exactly, as JSON that is never interpreted as a page', async () => {
  const page = await inspectHost([serverConfig(evil, 'test/fixtures/inspector/hostile.mjs')]);
  const name = encodeURIComponent(evil);
  const live = await page.live('after=0');
  const offer = await page.get<ServerOffer>(`servers/${name}/offer`);
  expect(offer.tools[0]).toMatchObject({ name: evil, description: evil });
  expect(offer.instructions).toBe(evil);
  await page.post(`servers/${name}/call`, { kind: 'tool', name: evil, args: { evil } });
  await until('it is over', async () => (await page.get<CallUpdate[]>('calls'))[0]!.state !== 'running');
  const overview = await page.get<Overview>('overview');
  expect(overview.servers.map((server) => server.name)).toEqual([evil]);
  await until('stderr has arrived', () => live.rows.some(({ kind }) => kind === 'stderr'));
  expect(new Set(live.rows.map(({ server }) => server))).toEqual(new Set([evil]));

  const { port, token } = page.inspector;
  for (const path of ['overview', 'events?after=0', `servers/${name}/offer`, 'stderr']) {
    const headers = { host: `127.0.0.1:${port}`, 'x-standpipe-token': token };
    const answer = await page.raw(`/api/${path}`, headers);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    expect(answer.text).not.toContain('\u001b'); // JSON escapes control characters
  }
});

test('does not repeat an address with markup as markup', async () => {
  const page = await inspectHost([]);
  const { port, token } = page.inspector;
  const headers = { host: `127.0.0.1:${port}`, 'x-standpipe-token': token };
  const answer = await page.raw(`/api/servers/${encodeURIComponent(evil)}/offer`, headers);
  expect(answer).toMatchObject({ status: 404, headers: { 'content-type': 'application/json; charset=utf-8' } });
});

test('reports messages that violate the schema of the revision, with their position', async () => {
  const page = await inspectHost([serverConfig('hostile', 'test/fixtures/inspector/hostile.mjs')]);
  await page.host.callTool('hostile', evil).catch(() => undefined); // our own client also rejects this result
  const { rows } = await page.get<EventPage>('events?after=0');
  const answer = rows.find(({ method, type }) => method === 'tools/call' && type === 'response')!;
  const { problems } = await page.get<EventDetail>(`events/${answer.seq}`);
  expect(problems).toEqual([
    'Violates the schema of the result of tools/call at content.1.type: unknown type',
    'Violates the schema of the result of tools/call at isError: Invalid input: expected boolean, received string',
  ]);
  const overview = await page.get<Overview>('overview');
  expect(overview.problems.find(({ kind }) => kind === 'schema-violation')).toMatchObject({ seq: answer.seq });
});

test('checks the first messages of each kind while a page is open', async () => {
  const page = await inspectHost([serverConfig('hostile', 'test/fixtures/inspector/hostile.mjs')]);
  const live = await page.live();
  await page.host.callTool('hostile', evil).catch(() => undefined); // our own client also rejects this result
  const told = () =>
    live
      .all('problems')
      .at(-1)
      ?.find(({ kind }) => kind === 'schema-violation');
  await until('it is found', () => told() !== undefined);
  expect(told()!.explanation).toContain('at content.1.type');
  const { seq } = told()!;
  await page.get(`events/${seq}`);
  await page.get(`events/${seq}`);
  const { problems } = await page.get<Overview>('overview');
  expect(problems.find(({ kind }) => kind === 'schema-violation')).toMatchObject({ seq, count: 1 });
});

test('shows malformed answers and keeps running', async () => {
  const page = await inspectHost([serverConfig('odd', 'test/fixtures/inspector/odd-answers.mjs')]);
  const live = await page.live('after=0');
  for (let i = 0; i < 8; i++) {
    await page.post('servers/odd/call', { kind: 'tool', name: 'x', args: { i }, timeoutMs: 500 });
  }
  const over = async () => (await page.get<CallUpdate[]>('calls')).every(({ state }) => state !== 'running');
  await until('all calls are over', over);
  const { rows, newest } = await page.get<EventPage>('events?after=0&limit=5000');
  expect(rows.length).toBe(newest);
  for (const { seq } of rows) expect((await page.get<EventDetail>(`events/${seq}`)).row.seq).toBe(seq);
  await until('the page has all of it', () => live.rows.length === newest);
});
