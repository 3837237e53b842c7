// Another user of this machine can open connections to the Inspector, but not read data or block it.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { later } from '../fixtures/later.ts';
import { until } from '../fixtures/server.ts';
import { inspectHost } from './inspecting.ts';

/** More than the number of all slots. */
const MANY = 400;
const PLACES = 64;

async function strangers(port: number, count: number, says = ''): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined); // closed by the Inspector
    socket.resume();
    if (says) socket.write(says);
    return socket;
  });
  later(async () => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(sockets.map((socket) => once(socket, 'connect').catch(() => undefined)));
  return sockets;
}

test.each([
  ['say nothing', ''],
  ['start a request and do not end it', 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n'],
])('400 connections that %s do not lock the owner out, and share 64 slots', async (_, says) => {
  const page = await inspectHost([]);
  const { port, token } = page.inspector;
  const own = { host: `127.0.0.1:${port}`, 'x-standpipe-token': token };
  const live = connect(port, '127.0.0.1');
  later(async () => void live.destroy());
  live.write(`GET /api/live?token=${token} HTTP/1.1\r\nHost: ${own.host}\r\n\r\n`);
  await once(live, 'data');
  const sockets = await strangers(port, MANY, says);
  expect((await page.raw('/api/overview', own)).status).toBe(200);
  const open = () => sockets.filter((socket) => !socket.closed).length;
  await until('the oldest were closed', () => open() <= PLACES);
  expect((await page.raw('/api/overview', own)).status).toBe(200);
  expect(live.closed).toBe(false);
});
