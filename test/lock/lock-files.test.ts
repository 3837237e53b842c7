// A lock that is missing, cut, edited, of another config, or changed while a host runs.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/files/load-config.ts';
import { type ConfigWatch, watchConfig } from '../../src/config/files/watch-config.ts';
import type { Host } from '../../src/host/host.ts';
import { until } from '../fixtures/server.ts';
import { evil, Locking, tool } from './locking.ts';

const watches: ConfigWatch[] = [];
afterEach(() => {
  for (const watch of watches.splice(0)) watch.close();
});

/** A host that follows its files, as `up` does. */
async function watched(locking: Locking): Promise<{ host: Host; problems: () => string[] }> {
  const host = await locking.host();
  const load = { file: locking.config };
  const reload = ({ config }: { config: NonNullable<Host['config']> }) => host.reload(config).then(() => undefined);
  watches.push(watchConfig(host.config!, load, reload, { settleMs: 20, graceMs: 20, pollMs: 100 }));
  return { host, problems: () => host.config!.problems.map(({ message }) => message) };
}

const listed = async (host: Host) => (await host.listTools('a')).map(({ name }) => name);
const whenListed = (host: Host, names: string[]) =>
  until(
    `the tools are ${names}`,
    async () => JSON.stringify(await listed(host).catch(() => 0)) === JSON.stringify(names),
  );
const tools = [tool('read'), tool('write')];

test('without a lock, nothing is checked, unless the config asks for a lock', async () => {
  const locking = new Locking({ a: { tools } });
  rmSync(locking.lock);
  expect(await listed(await locking.host())).toEqual(['read', 'write']);
  locking.write(['a'], { file: { locked: 'hide' } });
  expect(await listed(await locking.host())).toEqual([]);
  expect(locking.unapproved.map(({ kind, message }) => [kind, message])).toEqual([
    ['server', expect.stringContaining('there is no mcp-lock.json beside the config')],
  ]);
  locking.write(['a'], { file: { locked: 'hide' }, entry: { locked: 'off' } });
  expect(await listed(await locking.host())).toEqual(['read', 'write']);
});

test('a mistyped "locked" does not turn the lock off', async () => {
  const locking = new Locking({ a: { tools } });
  rmSync(locking.lock);
  locking.write(['a'], { file: { locked: 'hid' } });
  await expect(locking.host()).rejects.toThrow('"locked" must be one of');
  locking.write(['a'], { entry: { locked: 'none' } });
  expect((await locking.host()).rejected().map(({ message }) => message)).toEqual([
    expect.stringContaining('"locked" must be one of'),
  ]);
});

test('a server that the lock lacks has nothing approved', async () => {
  const locking = new Locking({ a: { tools } });
  locking.approve({ b: { tools } });
  const host = await locking.host();
  expect(await listed(host)).toEqual([]);
  await expect(host.callTool('a', 'read')).rejects.toThrow('it is not in mcp-lock.json');
});

const cut = (text: string) => text.slice(0, text.length / 2);
interface WrittenServer {
  tools: { entries: object[] };
  prompts?: object;
}
const parsed = (change: (lock: { servers: { a: WrittenServer } }) => void) => (text: string) => {
  const lock = JSON.parse(text);
  change(lock);
  return JSON.stringify(lock);
};
test.each<[string, (text: string) => string, string]>([
  ['cut', cut, 'it is not JSON'],
  ['empty', () => '', 'it is not JSON'],
  ['of another kind', () => '{"version":2,"servers":[]}', 'it has no "servers"'],
  ['of another version', parsed((lock) => void Object.assign(lock, { version: 2 })), 'its version is not 1'],
  [
    'edited in a definition',
    (text) => text.replace('Runs write.', 'Runs.'),
    'the hash of "write" is not that of its definition',
  ],
  [
    'without a hash of a list',
    parsed(({ servers: { a } }) => void a.tools.entries.pop()),
    'the hash of the list is not that of its entries',
  ],
  ['without a part', parsed(({ servers: { a } }) => void delete a.prompts), 'there is no list "entries" in "prompts"'],
  [
    'with a mask of everything',
    parsed(({ servers: { a } }) => void Object.assign(a, { masks: ['/tools/read'] })),
    '"masks"',
  ],
])('a lock that is %s approves nothing, and says why', async (_what, change, why) => {
  const locking = new Locking({ a: { tools } });
  writeFileSync(locking.lock, change(locking.lockText()));
  const host = await locking.host();
  expect(await listed(host)).toEqual([]);
  const said = [...host.config!.problems, ...locking.unapproved].map(({ message }) => message).join('\n');
  expect(said).toContain(why);
});

test('an approval comes into force without a restart, and clients read the list again', async () => {
  const locking = new Locking({ a: { tools } });
  locking.serve('a', { tools: [tool('read'), evil('write')] });
  const { host } = await watched(locking);
  expect(await listed(host)).toEqual(['read']);
  const { pid } = host.status()[0]!;
  const changed: string[] = [];
  await host.service('a').watch({ filter: { toolsListChanged: true }, notified: (method) => changed.push(method) });
  locking.approve({ a: { tools: [tool('read'), evil('write')] } });
  await whenListed(host, ['read', 'write']);
  expect(changed).toContain('notifications/tools/list_changed');
  locking.approve({ a: { tools: [tool('read')] } });
  await whenListed(host, ['read']);
  await expect(host.callTool('a', 'write')).rejects.toMatchObject({ code: 'DEFINITION_NOT_APPROVED' });
  expect(host.status()[0]!.pid).toBe(pid);
});

test('an approval starts a server again that was refused', async () => {
  const locking = new Locking({ a: { tools } });
  locking.write(['a'], { entry: { locked: 'refuse' } });
  locking.serve('a', { tools: [evil('read')] });
  const { host } = await watched(locking);
  expect((await host.start())[0]).toMatchObject({ state: 'failed' });
  locking.approve({ a: { tools: [evil('read')] } });
  await whenListed(host, ['read']);
});

test.each<[string, (locking: Locking) => void, string]>([
  ['removed', ({ lock }) => rmSync(lock), 'mcp-lock.json was removed'],
  ['cut', (locking) => writeFileSync(locking.lock, cut(locking.lockText())), 'it is not JSON'],
])('a lock that is %s while a host runs stays in force', async (_what, damage, said) => {
  const locking = new Locking({ a: { tools } });
  const { host, problems } = await watched(locking);
  expect(await listed(host)).toEqual(['read', 'write']);
  damage(locking);
  await until('the problem is reported', () => problems().some((message) => message.includes(said)));
  locking.serve('a', { tools: [tool('read'), evil('write')], announces: false });
  await host.restartServer('a');
  expect(await listed(host)).toEqual(['read']);
  locking.approve({ a: { tools: [tool('read'), evil('write')] } });
  await whenListed(host, ['read', 'write']);
  expect(problems()).toEqual([]);
});

test('the lock of a folder applies to its config only', async () => {
  const [one, two] = [new Locking({ a: { tools } }), new Locking({ a: { tools } })];
  rmSync(two.lock);
  writeFileSync(two.config, readFileSync(one.config));
  const [first, second] = await Promise.all([one.config, two.config].map((file) => loadConfig({ file })));
  expect(first!.servers[0]!.lock).toMatchObject({ mode: 'hide' });
  expect(second!.servers[0]!.lock).toBeUndefined();
});
