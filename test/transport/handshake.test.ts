// Both ends of a local socket prove that they have its key: a program without the key receives no byte, and a listener
// without it receives no secret.

import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { proveToListener } from '../../src/wire/transport/handshake.ts';
import { keyFileOf, makeKey, readKey, socketAddressOf } from '../../src/wire/transport/local-key.ts';
import { connectLocal, isServed, type ListenOptions, listenLocal } from '../../src/wire/transport/local-socket.ts';
import { until } from '../fixtures/server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const isWindows = process.platform === 'win32';
const folder = temporaryFolder('handshake');
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});
let paths = 0;

async function listens(options: ListenOptions = {}) {
  const path = join(folder, `${++paths}.sock`);
  const accepted: Socket[] = [];
  const accept = (socket: Socket) => void accepted.push(socket.on('error', () => undefined));
  const { close } = await listenLocal(path, accept, options);
  closing.push(close, () => {
    for (const socket of accepted) socket.destroy();
  });
  return { path, accepted, close, key: readKey(path)! };
}

/** Connects without a proof. */
function reach(path: string, address = socketAddressOf(path, readKey(path)!)): Socket {
  const socket = connect(address).on('error', () => undefined);
  closing.push(() => socket.destroy());
  return socket;
}

async function receivedBy(socket: Socket): Promise<string> {
  return (await buffer(socket).catch(() => Buffer.alloc(0))).toString();
}

describe('a client', () => {
  test('a client and its listener exchange data after the proofs, whichever side starts', async () => {
    const { path, accepted } = await listens();
    const socket = await connectLocal(path);
    socket.write('from the client');
    await until('it is accepted', () => accepted.length === 1);
    accepted[0]!.end('from the listener');
    expect(await receivedBy(socket)).toBe('from the listener');
    socket.end();
    expect(await receivedBy(accepted[0]!)).toBe('from the client');
  });

  test.each([
    ['a request', '{"jsonrpc":"2.0","id":1,"method":"standpipe/status"}\n'.repeat(3)],
    ['a proof of another key', 'another key'],
    ['zeros', '\0'.repeat(1_000)],
  ])('without the key that sends %s receives no byte, and is disconnected', async (_, text) => {
    const { path, accepted } = await listens();
    const socket = reach(path);
    if (text === 'another key') void proveToListener(socket, 'f'.repeat(64));
    else socket.write(text);
    const chunks: Buffer[] = [];
    socket.on('readable', () => chunks.push(socket.read() ?? Buffer.alloc(0)));
    await once(socket, 'close');
    expect(Buffer.concat(chunks).toString()).toBe('');
    expect(accepted).toEqual([]);
  });

  test('a client that replays data of another client is not accepted', async () => {
    const { path, accepted, key } = await listens();
    const heard: Buffer[] = [];
    const first = reach(path);
    const write = first.write.bind(first) as (text: string, done?: () => void) => boolean;
    first.write = ((text: string, done?: () => void) => {
      heard.push(Buffer.from(text));
      return write(text, done);
    }) as typeof first.write;
    expect(await proveToListener(first, key.secret)).toBe('proven');
    await until('it is accepted', () => accepted.length === 1);
    const again = reach(path);
    again.write(Buffer.concat(heard));
    await receivedBy(again);
    expect(accepted).toHaveLength(1);
  });

  test.each(['', 'half of it'])('that is silent after "%s" has limited time, and receives no byte', async (text) => {
    const clock = new ManualClock();
    const { path, accepted } = await listens({ clock, proofMs: 1_000 });
    const timers = clock.pending;
    const socket = reach(path);
    socket.write(text);
    await until('it is there', () => clock.pending === timers + 1);
    clock.advance(1_000);
    expect(await receivedBy(socket)).toBe('');
    expect(accepted).toEqual([]);
  });

  test('a client without the key does not block others: the oldest is closed for a new one', async () => {
    const { path, accepted } = await listens({ maxUnproven: 3 });
    const strangers: Socket[] = [];
    for (let count = 0; count < 4; count++) {
      strangers.push(reach(path));
      await once(strangers[count]!, 'connect');
    }
    await until('the oldest is closed', () => strangers[0]!.destroyed);
    (await connectLocal(path)).destroy();
    await until('the next is closed', () => strangers[1]!.destroyed);
    expect(strangers.slice(2).map(({ destroyed }) => destroyed)).toEqual([false, false]);
    await until('the client with the key is served', () => accepted.length === 1);
  });

  test('a client that is connecting when the listener closes is disconnected', async () => {
    const clock = new ManualClock();
    const { path, close } = await listens({ clock });
    const timers = clock.pending;
    const socket = reach(path);
    await until('it is there', () => clock.pending === timers + 1);
    close();
    expect(await receivedBy(socket)).toBe('');
    await until('no timer is left', () => clock.pending === 0);
  });
});

describe('a listener without the key', () => {
  const unproven = { code: isWindows ? 'ECONNREFUSED' : 'EPROTO' };

  async function squats(answer: (socket: Socket, chunk: Buffer) => void) {
    const path = join(folder, `${++paths}.sock`);
    const key = makeKey(path);
    let heard = '';
    const server: Server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        heard += chunk;
        answer(socket, chunk);
      });
    }).listen(socketAddressOf(path, key));
    await once(server, 'listening');
    closing.push(() => server.close());
    return { path, key, heard: () => heard };
  }

  test.each<[string, (socket: Socket, chunk: Buffer) => void]>([
    ['echoes', (socket, chunk) => socket.write(chunk)],
    ['answers as a host without keys', (socket) => socket.write('{"jsonrpc":"2.0","id":null}\n')],
    ['sends endlessly', (socket) => socket.write('x'.repeat(100_000))],
    ['closes', (socket) => socket.destroy()],
  ])('that %s is refused, and receives neither the key nor a request', async (_, answer) => {
    const { path, key, heard } = await squats(answer);
    await expect(connectLocal(path, { proofMs: 500 })).rejects.toMatchObject(unproven);
    expect(heard()).toMatch(/^([0-9a-f]{96}\n)+$/);
    expect(heard()).not.toContain(key.secret);
    expect(await isServed(path)).toBe(!isWindows);
  });

  test('a silent listener is given up in time', async () => {
    const { path, heard } = await squats(() => undefined);
    await expect(connectLocal(path, { proofMs: 100 })).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    expect(heard()).toMatch(/^[0-9a-f]{96}\n$/);
  });
});

describe('a key', () => {
  test('is private, new for each listener, and removed with it', async () => {
    const { path, close, key } = await listens();
    expect(key).toEqual({ pid: process.pid, secret: expect.stringMatching(/^[0-9a-f]{64}$/) });
    if (!isWindows) expect(statSync(keyFileOf(path)).mode & 0o777).toBe(0o600);
    close();
    expect([existsSync(path), existsSync(keyFileOf(path))]).toEqual([false, false]);
    expect(await isServed(path)).toBe(false);
    await expect(connectLocal(path)).rejects.toMatchObject({ code: 'ENOENT' });
    const again = await listenLocal(path, (socket) => socket.destroy());
    closing.push(again.close);
    expect(readKey(path)!.secret).not.toBe(key.secret);
  });

  test.skipIf(isWindows)('a key that others can read is not used', async () => {
    const { path } = await listens();
    chmodSync(keyFileOf(path), 0o644);
    await expect(connectLocal(path)).rejects.toMatchObject({ code: 'FILE_NOT_PRIVATE' });
  });

  test.each(['', '{', 'null', '{"secret":1}'])('of %j is invalid', (text) => {
    const path = join(folder, `${++paths}.sock`);
    writeFileSync(keyFileOf(path), text, { mode: 0o600 });
    expect(readKey(path)).toBeUndefined();
  });

  test.skipIf(isWindows)('a key that is replaced while a client connects is read again', async () => {
    const { path } = await listens();
    const right = readFileSync(keyFileOf(path), 'utf8');
    makeKey(path);
    const connected = connectLocal(path);
    writeFileSync(keyFileOf(path), right);
    (await connected).destroy();
  });

  test.skipIf(isWindows)(
    'that is missing for longer than a listener needs to end is that of an earlier version',
    async () => {
      const { path } = await listens();
      rmSync(keyFileOf(path));
      await expect(connectLocal(path)).rejects.toMatchObject({ code: 'EPROTO' });
    },
  );

  test('is touched, so that cleanup programs do not remove it', async () => {
    const clock = new ManualClock();
    const { path } = await listens({ clock });
    utimesSync(keyFileOf(path), 1, 1);
    clock.advance(60 * 60_000);
    expect(statSync(keyFileOf(path)).mtime).not.toEqual(new Date(1_000));
  });

  test('determines an unpredictable name of a Windows pipe, which does not reveal the key', () => {
    const path = join(folder, 'pipe.sock');
    const keys = [makeKey(path), makeKey(path)];
    const names = keys.map((key) => socketAddressOf(path, key, 'win32'));
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^\\\\\.\\pipe\\standpipe-[0-9a-f]{32}$/);
    for (const { secret } of keys) expect(names.join()).not.toContain(secret.slice(0, 8));
  });
});
