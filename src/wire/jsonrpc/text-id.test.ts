import { expect, test } from 'vitest';
import { memoryPair } from '../transport/stream-transport.ts';
import type { JsonRpcRequest } from './message.ts';
import { numberInText } from './message.ts';
import { Peer } from './peer.ts';

test.each([
  ['1', 1],
  ['0', 0],
  ['-3', -3],
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', undefined],
  ['01', undefined],
  ['1.0', undefined],
  [' 1', undefined],
  ['1e3', undefined],
  ['', undefined],
  ['abc', undefined],
  [1, undefined],
  [null, undefined],
])('%j is the text of %s', (id, number) => {
  expect(numberInText(id)).toBe(number);
});

async function pair() {
  const [near, far] = memoryPair();
  const peer = new Peer(near);
  const textIds: string[] = [];
  const errors: string[] = [];
  peer.onTextId = (id) => textIds.push(id);
  peer.onerror = (error) => errors.push(error.message);
  await far.start();
  await peer.start();
  return { peer, far, textIds, errors };
}

test('accepts an answer with our id as a string, with one warning', async () => {
  const { peer, far, textIds, errors } = await pair();
  far.onmessage = (message) => {
    const { id, params } = message as unknown as JsonRpcRequest;
    const token = (params as { _meta?: { progressToken?: number } } | undefined)?._meta?.progressToken;
    if (token)
      void far.send({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: `${token}`, progress: 7 },
      });
    void far.send({ jsonrpc: '2.0', id: String(id), result: { ok: true } });
  };
  const steps: number[] = [];
  expect(await peer.request('a', {}, { onProgress: ({ progress }) => steps.push(progress) })).toEqual({ ok: true });
  expect(await peer.request('b')).toEqual({ ok: true });
  expect(steps).toEqual([7]);
  expect(textIds).toEqual(['1']);
  expect(errors).toEqual([]);
  await peer.close();
});

test('a string that is not one of our ids is an unexpected answer', async () => {
  const { peer, far, textIds, errors } = await pair();
  far.onmessage = async (message) => {
    const { id } = message as unknown as JsonRpcRequest;
    for (const wrong of [`0${id}`, ` ${id}`, `${id}.0`, '99'])
      await far.send({ jsonrpc: '2.0', id: wrong, result: {} });
    await far.send({ jsonrpc: '2.0', id, result: { right: true } });
  };
  expect(await peer.request('a')).toEqual({ right: true });
  expect(textIds).toEqual([]);
  expect(errors).toHaveLength(4);
  await peer.close();
});

test('requests of the other end with the ids 1 and "1" are different', async () => {
  const { peer, far } = await pair();
  const answers: unknown[] = [];
  peer.handle('who', () => ({}));
  far.onmessage = (message) => answers.push(message);
  await far.send({ jsonrpc: '2.0', id: 1, method: 'who' });
  await far.send({ jsonrpc: '2.0', id: '1', method: 'who' });
  await expect
    .poll(() => answers)
    .toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: '1', result: {} },
    ]);
  await peer.close();
});
