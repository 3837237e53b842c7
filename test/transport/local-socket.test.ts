import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { connectLocal, isServed, listenLocal } from '../../src/transport/local-socket.ts';

const windows = process.platform === 'win32';
const folder = mkdtempSync(join(tmpdir(), 'standpipe-socket-'));
const path = windows ? `\\\\.\\pipe\\standpipe-test-${process.pid}` : join(folder, 'a.sock');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let server: ReturnType<typeof createServer>;
beforeEach(async () => {
  server = createServer((socket) => socket.on('error', () => undefined).resume());
  await listenLocal(server, path);
});
afterEach(async () => {
  if (!server.listening) return;
  server.close();
  await once(server, 'close');
});

test('whoever listens is reached, and no timer is left', async () => {
  const clock = new ManualClock();
  const socket = await connectLocal(path, { clock });
  expect(clock.pending).toBe(0);
  expect(socket.listenerCount('error')).toBe(0);
  socket.destroy();
  await once(socket, 'close');
});

test.skipIf(windows)('a program that hangs, and takes no more connections, is given up in time', async () => {
  const script = `require('net').createServer().listen({ path: process.argv[1], backlog: 1 }, () => console.log('listens'))`;
  const hanging = spawn(process.execPath, ['-e', script, `${path}.hangs`]);
  await once(hanging.stdout, 'data');
  hanging.kill('SIGSTOP');
  const attempts = await Promise.allSettled(
    Array.from({ length: 5 }, () => connectLocal(`${path}.hangs`, { timeoutMs: 100 })),
  );
  expect(attempts.at(-1)).toMatchObject({ status: 'rejected', reason: { code: 'ETIMEDOUT' } });
  for (const attempt of attempts) if (attempt.status === 'fulfilled') attempt.value.destroy();
  hanging.kill('SIGKILL');
  await once(hanging, 'close');
});

test('a pause of this process is no reason to give up', async () => {
  const connected = connectLocal(path, { timeoutMs: 10 });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  (await connected).destroy();
});

test('where nobody listens, the system says so, and no timer is left', async () => {
  const clock = new ManualClock();
  await expect(connectLocal(`${path}.none`, { clock })).rejects.toMatchObject({ code: 'ENOENT' });
  expect(clock.pending).toBe(0);
});

test.skipIf(windows)('more programs at once than the system holds for a listener all get there', async () => {
  const crowded = createServer((socket) => socket.resume()).listen({ path: `${path}.crowded`, backlog: 1 });
  await once(crowded, 'listening');
  const sockets = await Promise.all(
    Array.from({ length: 20 }, () => connectLocal(`${path}.crowded`, { timeoutMs: 60_000 })),
  );
  for (const socket of sockets) socket.destroy();
  crowded.close();
});

test('a socket is served or not', async () => {
  expect(await isServed(path)).toBe(true);
  expect(await isServed(`${path}.none`)).toBe(false);
});

test.skipIf(windows)('what is no socket is not served', async () => {
  writeFileSync(join(folder, 'file'), '');
  expect(await isServed(join(folder, 'file'))).toBe(false);
});

test.skipIf(windows)('nobody else may open it', () => {
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a place that is taken is not taken again', async () => {
  await expect(listenLocal(createServer(), path)).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test.skipIf(windows)('a path longer than an address can hold is refused, and is never cut', async () => {
  const longPath = join(folder, 'a'.repeat(120));
  const other = createServer();
  await expect(listenLocal(other, longPath)).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
  await expect(connectLocal(longPath)).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
  expect(await isServed(longPath)).toBe(false);
  expect(readdirSync(folder).filter((name) => name.startsWith('aa'))).toEqual([]);
});
