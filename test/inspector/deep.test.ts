// Endlessly nested JSON from the page and from servers: reported as an error, without affecting other data.

import { expect, test } from 'vitest';
import type { CallStarted, CallUpdate, EventDetail, EventPage, ServerOffer } from '../../src/app/inspector/api.ts';
import { until } from '../fixtures/server.ts';
import { serverConfig } from '../fixtures/server-config.ts';
import { inspectHost, legacy } from './inspecting.ts';

const deep = serverConfig('deep', 'test/inspector/servers/nests-deeply.mjs');
const brackets = '['.repeat(100_000) + ']'.repeat(100_000);

test('refuses arguments that cannot be sent, and the history stays readable', async () => {
  const page = await inspectHost([legacy()]);
  const { port, token } = page.inspector;
  const headers = { host: `127.0.0.1:${port}`, 'x-standpipe-token': token, 'content-type': 'application/json' };
  const body = `{"kind":"tool","name":"hello","args":{"deep":${brackets}}}`;
  const refused = await page.raw('/api/servers/legacy/call', headers, 'POST', body);
  expect(refused.status).toBe(400);
  expect(JSON.parse(refused.text).error.message).toBe('"args" is nested too deeply to be sent');
  expect(await page.get<CallUpdate[]>('calls')).toEqual([]);
  const args = JSON.parse(`{"name":${'['.repeat(500)}1${']'.repeat(500)}}`);
  await page.post('servers/legacy/call', { kind: 'tool', name: 'hello', args });
  await until('it is over', async () => (await page.get<CallUpdate[]>('calls'))[0]!.state === 'done');
});

test('reports a result that cannot be serialized as a failure, with its bytes on the wire', async () => {
  const page = await inspectHost([deep]);
  const live = await page.live('after=0');
  const { id } = await page.post<CallStarted>('servers/deep/call', { kind: 'tool', name: 'dig', args: {} });
  await until('it is over', () => live.all('call').some((call) => call.id === id && call.state !== 'running'));
  const [call] = await page.get<CallUpdate[]>('calls');
  expect(call).toMatchObject({ state: 'failed', error: { message: expect.stringContaining('nested too deeply') } });
  const { rows } = await page.get<EventPage>('events?after=0');
  const answer = rows.find(({ tool, type }) => tool === 'dig' && type === 'response')!;
  const detail = await page.get<EventDetail>(`events/${answer.seq}`);
  expect(detail.json).toBeUndefined();
  expect(detail.text).toContain('"structuredContent":{"deep":[[[[');
});

test('an offer that cannot be shown does not hide other data of the server', async () => {
  const page = await inspectHost([deep]);
  const offer = await page.get<ServerOffer>('servers/deep/offer');
  expect(offer).toMatchObject({ tools: [], instructions: 'mind the depth' });
  expect(offer.error).toContain('nested too deeply to be shown');
});
