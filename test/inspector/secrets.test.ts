// The API sends no secrets, unless the request has `secrets=shown`.

import { expect, test } from 'vitest';
import type {
  CallStarted,
  CallUpdate,
  EventDetail,
  EventPage,
  SearchPage,
  StderrPage,
} from '../../src/app/inspector/api.ts';
import { until } from '../fixtures/server.ts';
import { serverConfig } from '../fixtures/server-config.ts';
import { type Inspected, inspectHost } from './inspecting.ts';

const [key, argument, bearer, password, given] = [
  'k3y-0f-the-h0use',
  'ghp_t0k3n1nargs00',
  'abcdef0123456789',
  'p4ssw0rd',
  'giv3n-by-th3-page',
];
const secrets = [key, argument, bearer, password, given];
const script = 'test/inspector/servers/tells-secrets.mjs';

async function talk(): Promise<{ page: Inspected; live: Awaited<ReturnType<Inspected['live']>> }> {
  const server = serverConfig('teller', script, {
    args: [script, '--token', argument],
    env: { API_KEY: key, PLAIN: 'x' },
  });
  const page = await inspectHost([server]);
  const live = await page.live('after=0');
  const raw = { argsText: `{"n": 9007199254740993, "token": "${given}"}` };
  for (const args of [{ args: { token: given } }, { args: { token: given, fail: true } }, raw]) {
    const { id } = await page.post<CallStarted>('servers/teller/call', { kind: 'tool', name: 'tell', ...args });
    await until('the call is over', async () => {
      const calls = await page.get<CallUpdate[]>('calls');
      return calls.some((call) => call.id === id && call.state !== 'running');
    });
  }
  await until('the page shows it too', () => live.all('call').filter(({ state }) => state !== 'running').length === 3);
  return { page, live };
}

/** The answers of all routes, as text; base64 decoded. */
async function everything(page: Inspected, query: string): Promise<Record<string, string>> {
  const header = { host: `127.0.0.1:${page.inspector.port}`, 'x-standpipe-token': page.inspector.token };
  const paths = ['overview', 'events', 'latency', 'stderr?server=teller', 'calls', 'servers/teller/offer'];
  const told: Record<string, string> = {};
  for (const path of paths) {
    const whole = `/api/${path}${path.includes('?') ? '&' : '?'}${query}`;
    told[path] = (await page.raw(whole, header)).text;
  }
  const { newest } = JSON.parse(told.events!) as EventPage;
  const body = JSON.stringify({ ranges: [[1, newest]] });
  const json = { ...header, 'content-type': 'application/json' };
  told.export = (await page.raw(`/api/export?${query}`, json, 'POST', body)).text;
  for (let seq = 1; seq <= newest; seq++) {
    const { text } = await page.raw(`/api/events/${seq}?${query}`, header);
    told[`events/${seq}`] = text + Buffer.from((JSON.parse(text) as EventDetail).base64, 'base64').toString();
  }
  const wrong = `/api/servers/${key}/offer?${query}`;
  told.refusal = (await page.raw(wrong, header)).text;
  return told;
}

test('each route hides secrets, and shows them on request', async () => {
  const { page, live } = await talk();
  const masked = await everything(page, '');
  for (const [path, text] of Object.entries(masked)) {
    for (const secret of secrets) expect(`${path}: ${text}`).not.toContain(secret);
  }
  expect(JSON.stringify(live.messages)).not.toMatch(new RegExp(secrets.join('|')));
  expect(masked.export).toContain('"redacted":true');
  expect(masked['servers/teller/offer']).toContain('"token":{"type":"string"}');
  expect(masked['servers/teller/offer']).toContain('http://x.test/?token=t0k3n1'); // the page needs it to read the resource
  expect(masked.calls).toContain('key [env API_KEY]');

  const shown = await everything(page, 'secrets=shown');
  for (const secret of [key, password, given]) expect(shown.calls).toContain(secret);
  for (const secret of [key, argument, bearer, password]) expect(shown['stderr?server=teller']).toContain(secret);
  for (const secret of [key, given, bearer]) expect(shown.export).toContain(secret);
  expect(shown.events).toContain(key);
  const shownLive = await page.live('after=0&secrets=shown');
  await until('rows arrive', () => JSON.stringify(shownLive.rows).includes(key));
});

test('neither search reveals whether a hidden secret contains a text', async () => {
  const { page } = await talk();
  const found = async (text: string, more = '') =>
    (await page.get<SearchPage>(`search?text=${encodeURIComponent(text)}${more}`)).found.length;
  for (const part of [key, 'k3y-0f', 'the-h0use', given, 'h0u']) {
    expect(await found(part)).toBe(0);
    expect(await found(part, '&secrets=shown')).toBeGreaterThan(0);
  }
  expect(await found('tools/call')).toBeGreaterThan(0);
  expect(await found('[env API_KEY]')).toBeGreaterThan(0);
  const lines = async (search: string, more = '') =>
    (await page.get<StderrPage>(`stderr?server=teller&search=${search}${more}`)).lines.length;
  expect([await lines('k3y'), await lines('k3y', '&secrets=shown'), await lines('starting')]).toEqual([0, 1, 1]);
});

test('sizes and positions of a redacted message are those of the original', async () => {
  const { page } = await talk();
  const { rows } = await page.get<EventPage>('events');
  const { seq } = rows.find(({ method, type }) => method === 'tools/call' && type === 'response')!;
  const masked = await page.get<EventDetail>(`events/${seq}`);
  const shown = await page.get<EventDetail>(`events/${seq}?secrets=shown`);
  expect(masked).toMatchObject({ redacted: true, offset: shown.offset, problems: shown.problems });
  expect(masked.row.size).toBe(Buffer.from(shown.base64, 'base64').length);
  expect(shown).toMatchObject({ redacted: false, json: { result: { structuredContent: { password } } } });
  expect(masked).toMatchObject({ json: { result: { structuredContent: { password: '[redacted]' } } } });
});
