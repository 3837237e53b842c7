import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { proveToClient } from '../../src/wire/transport/handshake.ts';
import { makeKey } from '../../src/wire/transport/local-key.ts';
import { connectLocal, isServed, type LocalListener, listenLocal } from '../../src/wire/transport/local-socket.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const windows = process.platform === 'win32';
const folder = temporaryFolder('socket');
const path = join(folder, 'a.sock');

let listener: LocalListener;
beforeEach(async () => {
  listener = await listenLocal(path, (socket) => socket.on('error', () => undefined).resume());
});
afterEach(() => listener.close());

test('connects to a listener, and leaves no timer', async () => {
  const clock = new ManualClock();
  const socket = await connectLocal(path, { clock });
  expect(clock.pending).toBe(0);
  expect(socket.listenerCount('error')).toBe(0);
  socket.destroy();
  await once(socket, 'close');
});

test.skipIf(windows)('gives up a program that hangs and accepts no connections', async () => {
  const script = `require('net').createServer().listen({ path: process.argv[1], backlog: 1 }, () => console.log('listens'))`;
  const hanging = spawn(process.execPath, ['-e', script, `${path}.hangs`]);
  await once(hanging.stdout, 'data');
  hanging.kill('SIGSTOP');
  makeKey(`${path}.hangs`);
  const attempts = await Promise.allSettled(
    Array.from({ length: 5 }, () => connectLocal(`${path}.hangs`, { timeoutMs: 100, proofMs: 200 })),
  );
  const noAnswer = { status: 'rejected', reason: { code: 'ETIMEDOUT' } };
  expect(attempts).toMatchObject(attempts.map(() => noAnswer));
  hanging.kill('SIGKILL');
  await once(hanging, 'close');
});

test('does not give up because this process was paused', async () => {
  const connected = connectLocal(path, { timeoutMs: 10 });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  (await connected).destroy();
});

test('reports the error of the system if there is no listener, and leaves no timer', async () => {
  const clock = new ManualClock();
  await expect(connectLocal(`${path}.none`, { clock })).rejects.toMatchObject({ code: 'ENOENT' });
  expect(clock.pending).toBe(0);
});

test.skipIf(windows)('more programs than the backlog of a listener all connect', async () => {
  const { secret } = makeKey(`${path}.crowded`);
  const crowded = createServer((socket) => void proveToClient(socket, secret).then(() => socket.resume()));
  crowded.listen({ path: `${path}.crowded`, backlog: 1 });
  await once(crowded, 'listening');
  const sockets = await Promise.all(
    Array.from({ length: 20 }, () => connectLocal(`${path}.crowded`, { timeoutMs: 60_000 })),
  );
  for (const socket of sockets) socket.destroy();
  crowded.close();
});

test('detects whether a socket has a listener', async () => {
  expect(await isServed(path)).toBe(true);
  expect(await isServed(`${path}.none`)).toBe(false);
});

test.skipIf(windows)('reports a file that is not a socket as not served', async () => {
  writeFileSync(join(folder, 'file'), '');
  expect(await isServed(join(folder, 'file'))).toBe(false);
});

test.skipIf(windows)('other users cannot open it', () => {
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test.skipIf(windows)('refuses a path that is in use', async () => {
  await expect(listenLocal(path, () => undefined)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  (await connectLocal(path)).destroy(); // its key is still that of the first listener
});

test.skipIf(windows)('refuses a path longer than an address allows, and never truncates it', async () => {
  const longPath = join(folder, 'a'.repeat(120));
  await expect(listenLocal(longPath, () => undefined)).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
  await expect(connectLocal(longPath)).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
  expect(await isServed(longPath)).toBe(false);
  expect(readdirSync(folder).filter((name) => name.startsWith('aa'))).toEqual([]);
});
