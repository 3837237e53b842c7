// How often a host that serves several clients asks a server for its lists.

import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import type { Revision } from '../../src/mcp/revisions.ts';
import { until } from '../fixtures/server.ts';
import { fixturePath, folder, gatewayIn, startCli, writeConfig } from './run-cli.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

let runs = 0;

async function hostOf(revision: Revision, more: { record?: boolean; cacheScope?: string; share?: string } = {}) {
  const { record = false, cacheScope = 'public', share = 'all' } = more;
  const journal = join(folder, `asked-${++runs}.txt`);
  const args = [fixturePath('counts-lists.mjs'), revision, journal, cacheScope];
  const entry = { command: process.execPath, args, revision, share };
  const config = writeConfig(`asked-${runs}.json`, { counting: entry });
  const recording = record ? ['--record', join(folder, `asked-${runs}.jsonl`)] : [];
  const up = startCli(['up', '--no-inspector', '--config', config, '--http', '0', ...recording]);
  closing.push(async () => {
    up.kill('SIGTERM');
    await once(up, 'close');
  });
  let log = '';
  up.stdout.on('data', (chunk) => (log += chunk));
  await until('it serves', () => gatewayIn(log) !== undefined);
  const { url, token } = gatewayIn(log)!;
  return {
    client: async (path: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const client = await connect({ url: `${url}${path}`, headers }, { revision });
      closing.push(() => client.close());
      return client;
    },
    asked: (method: string) =>
      existsSync(journal)
        ? readFileSync(journal, 'utf8')
            .split('\n')
            .filter((line) => line === method).length
        : 0,
  };
}

const revisions: Revision[] = ['2025-11-25', '2026-07-28'];
const paths: [string, string][] = [
  ['/counting', ''],
  ['', 'counting__'],
];
const cases = revisions.flatMap((revision) =>
  paths.flatMap(([path, prefix]) => [false, true].map((record) => ({ revision, path, prefix, record }))),
);

test.each(cases)(
  'a server of $revision is asked for its tools once per change at "$path" (record: $record)',
  async ({ revision, path, prefix, record }) => {
    const host = await hostOf(revision, { record });
    const clients = [await host.client(path), await host.client(path)] as const;
    for (const client of clients) expect((await client.listTools()).tools.length).toBe(2);
    for (const place of ['here', 'there', 'anywhere']) {
      const { structuredContent } = await clients[0].callTool(`${prefix}go`, { place });
      expect(structuredContent).toEqual({ answer: 'yes' });
    }
    const listens = revision === '2026-07-28' ? 1 : 0;
    expect([host.asked('tools/list'), host.asked('subscriptions/listen')]).toEqual([1, listens]);
    await clients[0].callTool(`${prefix}change`, { place: 'here' });
    for (const client of clients) expect((await client.listTools({ fresh: true })).tools.length).toBe(3);
    await clients[1].callTool(`${prefix}go`, { place: 'here' });
    expect([host.asked('tools/list'), host.asked('subscriptions/listen')]).toEqual([2, listens]);
  },
);

test('each client gets its own answer to a list that is private', async () => {
  const host = await hostOf('2026-07-28', { cacheScope: 'private' });
  const clients = [await host.client('/counting'), await host.client('/counting')];
  for (const client of clients) expect((await client.listTools()).tools.length).toBe(2);
  await clients[0]!.callTool('go', { place: 'here' });
  expect(host.asked('tools/list')).toBe(1 + clients.length); // one request is from the host itself
});

test('each client gets the lists of its own process', async () => {
  const host = await hostOf('2025-11-25', { share: 'client' });
  const clients = [await host.client('/counting'), await host.client('/counting')];
  const counts = async () =>
    (await Promise.all(clients.map((each) => each.listTools({ fresh: true })))).map(({ tools }) => tools.length);
  expect(await counts()).toEqual([2, 2]);
  const before = host.asked('tools/list');
  await clients[0]!.callTool('change', {});
  expect(await counts()).toEqual([3, 2]);
  expect(host.asked('tools/list')).toBe(before + 1);
});

test.each(revisions)('a restarted server of %s is asked once again', async (revision) => {
  const host = await hostOf(revision);
  const client = await host.client('/counting');
  await client.callTool('change', { place: 'here' });
  expect((await client.listTools({ fresh: true })).tools.length).toBe(3);
  const before = host.asked('tools/list');
  await expect(client.callTool('exit', {})).rejects.toMatchObject({ message: expect.stringContaining('exit') });
  await client.callTool('go', { place: 'here' });
  expect((await client.listTools({ fresh: true })).tools.length).toBe(2);
  expect(host.asked('tools/list')).toBe(before + 1);
});
