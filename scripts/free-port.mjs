// A free port on loopback for a program that needs a fixed port. The ports are below those of outgoing connections
// (from 32768 on Linux, 49152 elsewhere), which could take the port before the program listens.

import { once } from 'node:events';
import { createServer } from 'node:net';

const FIRST = 10_000;
const COUNT = 22_000;

export async function freePort() {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
  throw new Error(`All ports of 127.0.0.1 between ${FIRST} and ${FIRST + COUNT} are in use`);
}
