import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect as connectSocket, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blankLines, contentLength, type Framing, fixedLength, lengthPrefix } from '../../src/entry/framing.ts';
import type { Transport } from '../../src/wire/jsonrpc/message-transport.ts';
import { Peer } from '../../src/wire/jsonrpc/peer.ts';
import { memoryPair, StreamTransport } from '../../src/wire/transport/stream-transport.ts';
import { fixtureTransport } from '../fixtures/server.ts';
import { isWindows } from '../fixtures/windows.ts';
import { transportContract } from './transport.contract.ts';

async function echoing(far: Transport): Promise<Transport> {
  far.onmessage = (message) => void far.send(message).catch(() => undefined);
  await far.start();
  return far;
}

transportContract('memory pair', async () => {
  const [near, farEnd] = memoryPair();
  const far = await echoing(farEnd);
  return { near, endFar: () => far.close() };
});

const framings: Framing[] = [blankLines(), lengthPrefix(), lengthPrefix({ format: 'hex' }), contentLength()];
for (const framing of framings) {
  transportContract(`memory pair with ${framing.name} framing`, async () => {
    const [near, farEnd] = memoryPair({ framing });
    const far = await echoing(farEnd);
    return { near, endFar: () => far.close() };
  });
}

test('a message that a framing cannot carry is refused, and the next one arrives', async () => {
  const [near, far] = memoryPair({ framing: fixedLength({ frameBytes: 200 }) });
  const server = new Peer(far);
  server.handle('echo', async (params) => params);
  server.handle('long', async () => ({ text: 'x'.repeat(500) }));
  const client = new Peer(near, { requestTimeoutMs: 100_000 });
  await Promise.all([server.start(), client.start()]);
  await expect(client.request('echo', { text: 'x'.repeat(500) })).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LONG' });
  expect(client.inFlight).toBe(0);
  expect(await client.request('echo', { a: 1 })).toEqual({ a: 1 });
  await expect(client.request('long')).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
});

test('an observer gets messages that were sent, and none that were refused', async () => {
  const sent: string[] = [];
  const near = fixtureTransport('echoes-messages', [], { observer: { sent: (text) => sent.push(text) } });
  await near.start();
  await near.send({ jsonrpc: '2.0', method: 'note' });
  await near.close();
  await near.send({ jsonrpc: '2.0', method: 'too-late' }).catch(() => undefined);
  expect(sent).toEqual(['{"jsonrpc":"2.0","method":"note"}']);
});

test('an observer or a stderr callback that throws is reported, and does not affect messages', async () => {
  const errors: Error[] = [];
  const fail = () => {
    throw new Error('observer broke');
  };
  const near = fixtureTransport('echoes-messages', [], {
    stderr: fail,
    observer: { sent: fail, received: fail, spawned: fail },
  });
  near.onerror = (error) => errors.push(error);
  const received = new Promise((resolve) => {
    near.onmessage = resolve;
  });
  await near.start();
  await near.send({ jsonrpc: '2.0', method: 'note' });
  expect(await received).toEqual({ jsonrpc: '2.0', method: 'note' });
  expect(errors.map((error) => error.message)).toEqual(['observer broke', 'observer broke', 'observer broke']);
});

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standpipe-'));
});
afterAll(() => rm(folder, { recursive: true }));

let sockets = 0;
transportContract('Unix socket', async () => {
  const name = `${process.pid}-${sockets++}.sock`;
  const path = isWindows ? `\\\\.\\pipe\\standpipe-${name}` : join(folder, name);
  const listener = createServer().listen(path);
  await once(listener, 'listening');
  const accepted = once(listener, 'connection') as Promise<[Socket]>;
  const near = StreamTransport.over(connectSocket(path));
  const far = await echoing(StreamTransport.over((await accepted)[0]));
  listener.close();
  return { near, endFar: () => far.close() };
});

transportContract('stdio of a child', async () => {
  const near = fixtureTransport('echoes-messages');
  return {
    near,
    endFar: async () => {
      process.kill(near.pid!, 'SIGKILL');
    },
  };
});
