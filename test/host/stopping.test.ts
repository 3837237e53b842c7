// A server that is being stopped stays stopped, even if calls arrive meanwhile, and no process remains after its host.

import { expect, test } from 'vitest';
import { read } from '../../src/config/read-text.contract.ts';
import type { ServerConfig } from '../../src/config/server-config.ts';
import { Host } from '../../src/host/host.ts';
import { fixture, isAlive } from '../fixtures/server.ts';

async function servers(...names: string[]): Promise<readonly ServerConfig[]> {
  const mcpServers = Object.fromEntries(
    names.map((name) => [name, { command: process.execPath, args: [fixture('small-mcp-server')], cwd: process.cwd() }]),
  );
  return (await read(JSON.stringify({ mcpServers }))).servers;
}

test('a call during the stop of the host starts no process', async () => {
  const host = new Host(await servers('a'));
  await host.start();
  const { pid, state } = host.status()[0]!;
  expect(state).toBe('ready');
  const stopping = host.stop();
  await expect(host.callTool('a', 'hello')).rejects.toMatchObject({ code: 'SERVER_STOPPED' });
  await stopping;
  await expect(host.callTool('a', 'hello')).rejects.toMatchObject({ code: 'SERVER_STOPPED' });
  expect(host.status()).toMatchObject([{ state: 'stopped', pid: null }]);
  expect(isAlive(pid!)).toBe(false);
});

test('a call during the removal of its entry starts no process', async () => {
  const host = new Host(await servers('a', 'b'));
  await host.start();
  const [a] = host.status();
  expect(a?.state).toBe('ready');
  const reloading = host.reload({ servers: await servers('b'), rejected: [], problems: [] } as never);
  await expect(host.callTool('a', 'hello')).rejects.toMatchObject({ code: 'NAME_UNKNOWN' });
  await reloading;
  expect(isAlive(a!.pid!)).toBe(false);
  expect(host.names).toEqual(['b']);
  await host.stop();
});

test('a call while the server restarts waits for the new process', async () => {
  const host = new Host(await servers('a'));
  await host.start();
  const restarting = host.restartServer('a');
  expect(await host.callTool('a', 'hello')).toMatchObject({ content: [{ text: 'hello' }] });
  await restarting;
  await host.stop();
});
