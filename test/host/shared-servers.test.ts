// Servers that clients define: equal settings share one server, as long as it has clients.

import { afterEach, expect, test } from 'vitest';
import { SharedServers } from '../../src/host/control/shared-servers.ts';
import { Host } from '../../src/host/host.ts';
import { ManualClock } from '../fixtures/manual-clock.ts';
import { until } from '../fixtures/server.ts';
import { serverFile } from './run-host.ts';

const clock = new ManualClock();
let host: Host;
afterEach(() => host.stop());

function shared() {
  host = new Host([]);
  const servers = new SharedServers(host, { clock, idleMs: 1000 });
  const brought = {
    name: 'notes',
    command: process.execPath,
    args: [serverFile('notes')],
    env: { OWN: 'a' },
    cwd: '/',
  };
  return { servers, brought, pid: (name: string) => host.status().find((each) => each.name === name)?.pid };
}

test('clients with equal settings share a server, whatever its name and their PATH', () => {
  const { servers, brought } = shared();
  const first = servers.share(brought);
  expect(servers.share({ ...brought, name: 'another', path: '/bin' }).name).toBe(first.name);
  const others = [{ args: [] }, { env: { OWN: 'b' } }, { env: {} }, { cwd: '/tmp' }, { share: 'client' }];
  const names = others.map((other) => servers.share({ ...brought, ...other }).name);
  expect([first.name, ...names]).toEqual(['notes', 'notes-2', 'notes-3', 'notes-4', 'notes-5', 'notes-6']);
});

test('clients with equal addresses and headers share a server', () => {
  const { servers } = shared();
  const far = {
    name: 'far',
    url: 'http://127.0.0.1:1/mcp',
    headers: { A: 'a', B: 'b' },
    transport: 'auto',
    secrets: [],
  };
  const first = servers.share(far);
  expect(servers.share({ ...far, name: 'another', headers: { B: 'b', A: 'a' } }).name).toBe(first.name);
  const others = [{ url: 'http://127.0.0.1:2/mcp' }, { headers: {} }, { transport: 'sse' }, { share: 'client' }];
  const names = others.map((other) => servers.share({ ...far, ...other }).name);
  expect([first.name, ...names]).toEqual(['far', 'far-2', 'far-3', 'far-4', 'far-5']);
});

test('a server is removed idleMs after its last client', async () => {
  const { servers, brought, pid } = shared();
  const [one, two] = [servers.share(brought), servers.share(brought)];
  expect(await host.callTool(one.name, 'only_a')).toMatchObject({ content: [{ text: 'a' }] });
  one.release();
  one.release(); // counts once
  clock.advance(5000);
  expect(pid('notes')).toBeGreaterThan(0);
  two.release();
  clock.advance(999);
  servers.share(brought).release();
  clock.advance(999);
  expect(pid('notes')).toBeGreaterThan(0);
  clock.advance(1);
  await until('it is gone', () => host.status().length === 0);
});

test.each([
  undefined,
  5,
  {},
  { name: '' },
  { args: [1] },
  { env: { A: 1 } },
  { cwd: 'relative' },
  { command: '' },
  { share: 'none' },
  { url: 'ws://x.test', headers: {}, transport: 'auto', secrets: [] },
  { url: 'http://x.test', headers: { A: 1 }, transport: 'auto', secrets: [] },
  { url: 'http://x.test', headers: {}, transport: 'ws', secrets: [] },
  { url: 'http://x.test', headers: {}, transport: 'auto' },
])('refuses an invalid server: %j', (wrong) => {
  const { servers, brought } = shared();
  const given = typeof wrong === 'object' && Object.keys(wrong).length > 0 ? { ...brought, ...wrong } : wrong;
  expect(() => servers.share(given)).toThrow('needs a name, a command');
  expect(host.status()).toEqual([]);
});
