// The other end sends requests and does not read: the peer starts only requests that it can answer, stops reading and
// loses nothing.

import { duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { StreamTransport } from '../transport/stream-transport.ts';
import { Peer } from './peer.ts';

const LIMIT = 1_000_000;
const LENGTH = 100_000;
const CALLS = 400;

test.each(['at once', 'later'])(
  'answers that arrive %s are queued, and nothing more is started or read until some were read',
  async (when) => {
    const [near, far] = duplexPair();
    const peer = new Peer(StreamTransport.over(far, { maxQueuedChars: LIMIT }), { maxConcurrent: 5 });
    let started = 0;
    let received = 0;
    let most = 0;
    peer.handle('text', () => {
      started++;
      most = Math.max(most, started - received);
      const result = { text: 'x'.repeat(LENGTH) };
      return when === 'later' ? Promise.resolve(result) : result;
    });
    const full = new Promise<void>((resolve) => {
      peer.onfull = (isFull) => isFull && resolve();
    });
    await peer.start();
    for (let id = 0; id < CALLS; id++) near.write(`{"jsonrpc":"2.0","id":${id},"method":"text"}\n`);
    await full;
    expect(far.isPaused()).toBe(true);
    const ids: number[] = [];
    let text = '';
    for await (const chunk of near.setEncoding('utf8')) {
      const lines = (text + chunk).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) ids.push(JSON.parse(line).id);
      received = ids.length;
      if (received === CALLS) break;
    }
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: CALLS }, (_, id) => id));
    // Counts queued answers, running requests, the current write and data inside the streams.
    expect(most).toBeLessThan((4 * LIMIT) / LENGTH);
    await peer.close();
  },
);

test('an answer of a batch that cannot be written does not affect the others', async () => {
  const [near, far] = duplexPair();
  const transport = StreamTransport.over(far);
  transport.setProtocolVersion('2025-03-26');
  const peer = new Peer(transport);
  peer.handle('good', () => ({ good: true }));
  peer.handle('bad', () => ({ count: 1n }));
  await peer.start();
  near.write('[{"jsonrpc":"2.0","id":1,"method":"good"},{"jsonrpc":"2.0","id":2,"method":"bad"}]\n');
  const answers = new Map<number, object>();
  for await (const chunk of near.setEncoding('utf8')) {
    for (const line of chunk.trim().split('\n')) for (const answer of JSON.parse(line)) answers.set(answer.id, answer);
    if (answers.size === 2) break;
  }
  expect(answers.get(1)).toMatchObject({ result: { good: true } });
  expect(answers.get(2)).toMatchObject({ error: { code: -32603, message: expect.stringContaining('JSON') } });
  await peer.close();
});
