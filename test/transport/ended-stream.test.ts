// Node.js closes a stream at once when it ends, while messages of its last chunk are still queued.

import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { StdioServerTransport } from '../../src/wire/transport/stdio-server.ts';
import { StreamTransport } from '../../src/wire/transport/stream-transport.ts';

const count = 20_000;
const messages = Buffer.from(
  Array.from({ length: count }, (_, n) => `{"jsonrpc":"2.0","method":"n","params":{"n":${n}}}\n`).join(''),
);

test.each([
  ['StreamTransport', (input: Readable) => new StreamTransport(input, new PassThrough())],
  ['StdioServerTransport', (input: Readable) => new StdioServerTransport(input, new PassThrough())],
])('%s delivers all messages of one chunk before it closes', async (_name, open) => {
  const transport = open(Readable.from([messages], { objectMode: false }));
  const received: unknown[] = [];
  transport.onmessage = (message) => received.push((message as { params?: { n: number } }).params?.n);
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  await transport.start();
  await closed;
  expect(received).toEqual(Array.from({ length: count }, (_, n) => n));
});
