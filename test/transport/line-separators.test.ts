// From Node.js 24 on, `readline` ends a line at U+2028 and U+2029. Our messages never contain them unescaped; received
// messages may.

import { type Duplex, duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { blankLines, contentLength, lengthPrefix, newline } from '../../src/entry/framing.ts';
import { LiteMcpClient } from '../../src/litemcp/client.ts';
import { LiteMcpServer } from '../../src/litemcp/server.ts';
import { StreamTransport } from '../../src/wire/transport/stream-transport.ts';
import { StreamWire } from '../../src/wire/transport/stream-wire.ts';

const text = 'a\u2028b\u2029c é 漢 \u2028';
const raw = /[\u2028\u2029]/;

/** The stream, and the text written into it. */
function watched(stream: Duplex): { stream: Duplex; written: () => string } {
  const chunks: Buffer[] = [];
  const write = stream.write.bind(stream) as (chunk: Uint8Array | string, ...rest: never[]) => boolean;
  stream.write = ((chunk: Uint8Array | string, ...rest: never[]) => {
    chunks.push(Buffer.from(chunk as string));
    return write(chunk, ...rest);
  }) as Duplex['write'];
  return { stream, written: () => Buffer.concat(chunks).toString() };
}

for (const framing of [newline(), blankLines(), lengthPrefix(), contentLength()]) {
  test(`with ${framing.name} framing they are escaped in written messages, and observers see the same text`, async () => {
    const [left, right] = duplexPair();
    const { stream, written } = watched(left);
    const observed: string[] = [];
    const near = StreamTransport.over(stream, { framing, observer: { sent: (json) => observed.push(json) } });
    const far = StreamTransport.over(right, { framing });
    const message = { jsonrpc: '2.0' as const, method: 'note', params: { [text]: text } };
    const plain = { jsonrpc: '2.0' as const, method: 'plain', params: { text: 'é' } };
    const received: unknown[] = [];
    const all = new Promise<void>((resolve) => {
      far.onmessage = (each) => {
        received.push(each);
        if (received.length === 3) resolve();
      };
    });
    await Promise.all([near.start(), far.start()]);
    await Promise.all([near.send(plain), near.send(message), near.send(plain)]);
    await all;
    expect(received).toEqual([plain, message, plain]);
    expect(observed.map((json) => JSON.parse(json))).toEqual([plain, message, plain]);
    expect(written()).toContain('\\u2028');
    expect(written() + observed.join('')).not.toMatch(raw);
    await Promise.all([near.close(), far.close()]);
  });
}

test('both ends of LiteMCP escape them', async () => {
  const [left, right] = duplexPair();
  const [near, far] = [watched(left), watched(right)];
  const wire = (stream: Duplex) => new StreamWire(stream, stream, { framing: blankLines() });
  const echo = new LiteMcpServer(
    { name: 'Echo', description: text, parameters: [{ name: text, type: 'string' }] },
    (values) => Object.values(values)[0],
  );
  await echo.serve(wire(far.stream));
  const client = new LiteMcpClient(wire(near.stream));
  await client.start();
  expect(await client.info()).toMatchObject({ description: text });
  expect((await client.call([text])).response.content).toEqual([{ type: 'string', data: text }]);
  for (const { written } of [near, far]) {
    expect(written()).toContain('\\u2029');
    expect(written()).not.toMatch(raw);
  }
  await client.close();
});

test('a message that contains them unescaped is read as one', async () => {
  const [left, right] = duplexPair();
  const near = StreamTransport.over(left);
  const received = new Promise((resolve) => {
    near.onmessage = resolve;
  });
  await near.start();
  const message = { jsonrpc: '2.0', method: 'note', params: { text } };
  right.write(`${JSON.stringify(message)}\n`);
  expect(await received).toEqual(message);
  await near.close();
});
