// The relay of `standpipe connect`: bytes in both directions, and the end of each side.

import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { relay } from '../../src/app/cli/connect/main.ts';
import { connectLocal, type LocalListener, listenLocal } from '../../src/wire/transport/local-socket.ts';
import { until } from '../fixtures/server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const path = join(temporaryFolder('relay'), 's');
const END = '\n{"jsonrpc":"2.0","method":"standpipe/end"}\n';
const accepted = new EventEmitter<{ connection: [Socket] }>();
let listener: LocalListener;
beforeAll(async () => {
  listener = await listenLocal(path, (socket) => accepted.emit('connection', socket));
});
afterAll(() => listener.close());

const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});

/** Starts a relay between two streams of the test and the end of a socket at the host. */
async function startRelay(output: Writable = new PassThrough()) {
  const connection = once(accepted, 'connection');
  const socket = await connectLocal(path);
  const [host] = (await connection) as [Socket];
  open.push(socket, host);
  const input = new PassThrough();
  const ended = relay(socket, { input, output });
  return { input, output: output as PassThrough, host, ended };
}

function collect(stream: NodeJS.ReadableStream): () => Buffer {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks);
}

test('bytes pass unchanged in both directions, in chunks of any size', async () => {
  const { input, output, host, ended } = await startRelay();
  const [atHost, atClient] = [collect(host), collect(output)];
  const bytes = randomBytes(3_000_000);
  for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7) % 65_521) {
    const chunk = bytes.subarray(at, at + size);
    input.write(chunk);
    host.write(chunk);
  }
  await until('all has passed', () => atHost().length === bytes.length && atClient().length === bytes.length);
  expect(atHost().equals(bytes)).toBe(true);
  expect(atClient().equals(bytes)).toBe(true);
  host.end();
  expect(await ended).toBe('host');
});

test('a client that ends its input gets its answers, and the host gets the end', async () => {
  const { input, output, host, ended } = await startRelay();
  const [atHost, atClient] = [collect(host), collect(output)];
  input.end('the last request, without a newline');
  await until('the host hears of it', () => atHost().toString().endsWith(END));
  expect(atHost().toString()).toBe(`the last request, without a newline${END}`);
  host.end('the answer\n');
  expect(await ended).toBe('client');
  expect(atClient().toString()).toBe('the answer\n');
});

test('a client that does not read blocks the host, and gets all bytes when it reads', async () => {
  const waiting: (() => void)[] = [];
  let taken = 0;
  const output = new Writable({
    highWaterMark: 1,
    write: (chunk: Buffer, _encoding, done) => {
      waiting.push(() => {
        taken += chunk.length;
        done();
      });
    },
  });
  const { host, ended } = await startRelay(output);
  const sent = 20_000_000;
  let accepted = false;
  host.end(Buffer.alloc(sent), () => {
    accepted = true;
  });
  await until('the relay has what it holds', () => waiting.length > 0 && output.writableNeedDrain);
  expect(accepted).toBe(false);
  expect(output.writableLength).toBeLessThan(1_000_000);
  while (taken < sent) {
    await until('there is more', () => waiting.length > 0);
    waiting.shift()!();
  }
  expect(await ended).toBe('host');
});

test('the end of a client closes its connection', async () => {
  const { output, host, ended } = await startRelay();
  const closed = once(host.resume(), 'close');
  output.destroy(new Error('EPIPE'));
  expect(await ended).toBe('client');
  await closed;
});
