// Hosts in separate processes that open the same control socket at the same time: one keeps it, the others fail with an
// error, whether or not a killed host left its socket.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PeerError } from '../../src/base/errors.ts';
import { RemoteHost } from '../../src/host/control/remote-host.ts';
import { makeKey } from '../../src/wire/transport/local-key.ts';
import { usually } from '../fixtures/repetitions.ts';

const ROUNDS = usually(25, 100);
const folder = mkdtempSync(join(tmpdir(), 'standpipe-race-'));
const path = join(folder, 'control.sock');
let hosts: ChildProcess[];

beforeAll(async () => {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('serves-control.ts', import.meta.url)),
    platform: 'node',
  });
  const file = join(folder, 'program', 'serves-control.mjs');
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  hosts = [0, 1, 2].map(() => fork(file));
  await Promise.all(hosts.map((host) => once(host, 'spawn')));
});
afterAll(async () => {
  const exits = hosts.map((host) => once(host, 'exit'));
  for (const host of hosts) host.disconnect();
  await Promise.all(exits);
  rmSync(folder, { recursive: true, force: true });
});

async function tell(host: ChildProcess, task: object | string): Promise<string> {
  host.send(task);
  return (await once(host, 'message'))[0];
}

/** Creates the leftovers of a killed host: a socket without a listener, and its key. */
async function leaveStaleSocket(): Promise<void> {
  const server = createServer().listen(`${path}.killed`);
  await once(server, 'listening');
  renameSync(`${path}.killed`, path); // Node.js removes only the original name
  server.close();
  await once(server, 'close');
  expect(existsSync(path)).toBe(true);
  makeKey(path);
}

async function pidOfHost(): Promise<number> {
  const reached = (await RemoteHost.connect(path))!;
  const { pid } = await reached.status();
  await reached.close();
  return pid;
}

test.skipIf(process.platform === 'win32').each([true, false])(
  'one of three gets the socket (a killed host left its socket: %s)',
  async (stale) => {
    for (let round = 0; round < ROUNDS; round++) {
      if (stale) await leaveStaleSocket();
      const outcomes = await Promise.all(hosts.map((host) => tell(host, { serve: path })));
      expect(outcomes.toSorted()).toEqual(['HOST_ALREADY_RUNNING', 'HOST_ALREADY_RUNNING', 'serves']);
      const winner = hosts[outcomes.indexOf('serves')]!;
      expect(await pidOfHost()).toBe(winner.pid);
      await tell(winner, 'close');
      expect(readdirSync(folder)).toEqual(['program']);
    }
  },
);

test.skipIf(process.platform === 'win32')('a host that starts while another one ends keeps its own key', async () => {
  const [first, second] = hosts as [ChildProcess, ChildProcess];
  for (let round = 0; round < ROUNDS; round++) {
    expect(await tell(first, { serve: path })).toBe('serves');
    const [, outcome] = await Promise.all([tell(first, 'close'), tell(second, { serve: path })]);
    if (outcome !== 'serves') expect(await tell(second, { serve: path })).toBe('serves');
    expect(await pidOfHost()).toBe(second.pid);
    await tell(second, 'close');
    expect(readdirSync(folder)).toEqual(['program']);
  }
});

test.skipIf(process.platform === 'win32')(
  'clients that connect while hosts replace each other reach a host, none, or one that ends',
  async () => {
    let isOver = false;
    const seen = new Set<unknown>();
    const look = async () => {
      const host = await RemoteHost.connect(path);
      if (!host) return 'none';
      const { pid } = await host.status();
      await host.close();
      return pid;
    };
    const client = async () => {
      while (!isOver) seen.add(await look().catch((error: PeerError) => error.code));
    };
    const clients = [client(), client()];
    for (let round = 0; round < ROUNDS; round++) {
      const host = hosts[round % hosts.length]!;
      expect(await tell(host, { serve: path })).toBe('serves');
      expect(await pidOfHost()).toBe(host.pid);
      await tell(host, 'close');
    }
    isOver = true;
    await Promise.all(clients);
    const expected = [...hosts.map(({ pid }) => pid), 'none', 'OUTCOME_UNKNOWN', 'NOT_SENT', 'CONNECTION_CLOSED'];
    expect([...seen].filter((each) => !expected.includes(each as number))).toEqual([]);
  },
);
