// Clients of the socket that do not read their answers: queued data is bounded for each and for all, and nothing is
// lost.

import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { chooseServer } from '../../src/host/control/connect-host.ts';
import { type ControlServer, serveControl } from '../../src/host/control/control-server.ts';
import { RemoteHost } from '../../src/host/control/remote-host.ts';
import { connectLocal } from '../../src/wire/transport/local-socket.ts';
import { until } from '../fixtures/server.ts';
import { counting, folder, openHost } from './run-host.ts';

let control: ControlServer;
afterEach(() => control.close());

async function serve(name: string, maxUnreadChars?: number) {
  const { entry, count } = counting(name);
  control = await serveControl(await openHost({ counts: entry }), join(folder, name), { maxUnreadChars });
  return count;
}

/** Sends calls whose answers have 1 MB, without reading. */
async function callUnread(calls: number): Promise<Socket> {
  const socket = await connectLocal(control.path);
  await chooseServer(socket, { server: 'counts' });
  const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'large', arguments: {} } });
  socket.write(Array.from({ length: calls }, (_, id) => `${JSON.stringify(call(id))}\n`).join(''));
  return socket;
}

/** Reads all answers; resolves to their ids. */
async function readAll(socket: Socket, calls: number): Promise<number[]> {
  const ids: number[] = [];
  const lines = createInterface({ input: socket });
  lines.on('line', (line) => {
    const [, id] = /^\{"jsonrpc":"2.0","id":(\d+)/.exec(line) ?? [];
    if (id !== undefined) ids.push(Number(id)); // ignores notifications
  });
  await until('all are read', () => ids.length === calls);
  lines.close();
  return ids.sort((a, b) => a - b);
}

/** Serves another client; afterwards, every call that could start has started. */
async function stillServes(): Promise<void> {
  const remote = (await RemoteHost.connect(control.path))!;
  for (let call = 0; call < 3; call++) await remote.client('counts').callTool('echo', { call });
  await remote.close();
}

test('runs few of 90 requests of a client that does not read, and the others when it reads', async () => {
  const count = await serve('unread-one');
  const socket = await callUnread(90);
  await until('the first have run', () => count() >= 64);
  await stillServes();
  await stillServes();
  expect(count()).toBeLessThan(64 + 12); // 64 calls run at a time, and 8 MiB of answers are queued
  expect(await readAll(socket, 90)).toEqual(Array.from({ length: 90 }, (_, id) => id));
  socket.destroy();
});

test('above the limit of all clients, only clients without unread answers are served', async () => {
  const count = await serve('unread-all', 3_000_000);
  const sockets = await Promise.all(Array.from({ length: 4 }, () => callUnread(3)));
  await until('all that ran at once have run', () => count() === 12);
  await stillServes(); // earlier calls have been answered afterwards
  for (const socket of sockets)
    socket.write('{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"large"}}\n');
  await stillServes();
  expect(count()).toBe(12);
  for (const socket of sockets) expect(await readAll(socket, 4)).toEqual([0, 1, 2, 3]);
  for (const socket of sockets) socket.destroy();
});
