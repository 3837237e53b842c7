import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect as connectSocket, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { blankLines, contentLength, type Framing, lengthPrefix } from '../../src/framing/index.ts';
import { memoryPair } from '../../src/transport/memory-pair.ts';
import type { Transport } from '../../src/transport/message-transport.ts';
import { StreamTransport } from '../../src/transport/stream-transport.ts';
import { fixtureTransport } from '../fixtures/server.ts';
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

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standpipe-'));
});
afterAll(() => rm(folder, { recursive: true }));

let sockets = 0;
transportContract('Unix socket', async () => {
  const path = join(folder, `${sockets++}.sock`);
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
