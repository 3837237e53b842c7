// A port on loopback for a program that must be told its port, or that ends and starts again at the same one. Below the ports that
// systems give to outgoing connections (from 32768 on Linux, 49152 elsewhere): these could take it before the program listens.

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
  throw new Error(`No port of 127.0.0.1 between ${FIRST} and ${FIRST + COUNT} is free`);
}
