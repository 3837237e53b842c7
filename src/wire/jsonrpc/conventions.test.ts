// Tests the messages that one peer sends under the conventions of different protocols.

import { duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { RpcError } from '../../base/errors.ts';
import { contentLength } from '../framing/content-length.ts';
import { memoryPair, StreamTransport } from '../transport/stream-transport.ts';
import { lsp, mcp, plainJsonRpc } from './conventions.ts';
import type { JsonRpcMessage } from './message.ts';
import { Peer, type PeerOptions } from './peer.ts';

type Message = { id?: unknown; method?: string; params?: unknown; result?: unknown; error?: { code: number } };

/** A peer, and the raw transport at the other end. */
async function against(options: PeerOptions) {
  const [near, far] = memoryPair();
  const received: Message[] = [];
  const waiting: (() => void)[] = [];
  far.allow({ arrayParams: true, batches: false });
  far.onmessage = (message: JsonRpcMessage) => {
    received.push(message as Message);
    for (const look of waiting.splice(0)) look();
  };
  const peer = new Peer(near, options);
  await Promise.all([peer.start(), far.start()]);
  const arrived = async (count: number) => {
    while (received.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    return received;
  };
  const send = (message: object) => far.send({ jsonrpc: '2.0', ...message } as JsonRpcMessage);
  return { peer, send, arrived };
}

test.each([
  ['mcp', mcp, {}],
  ['lsp', lsp, null],
  ['plainJsonRpc', plainJsonRpc, null],
])('%s: a handler that returns nothing', async (_name, conventions, result) => {
  const { peer, send, arrived } = await against({ conventions });
  peer.handle('undefined', () => undefined);
  peer.handle('null', async () => null);
  await send({ id: 1, method: 'undefined' });
  await send({ id: 2, method: 'null' });
  expect(await arrived(2)).toMatchObject([
    { id: 1, result },
    { id: 2, result },
  ]);
});

test('a result of null arrives as null', async () => {
  const { peer, send, arrived } = await against({ conventions: lsp });
  const answer = peer.request('shutdown');
  const [request] = await arrived(1);
  await send({ id: request!.id, result: null });
  expect(await answer).toBeNull();
});

test('accepts and sends parameters by position in lsp, and refuses them in mcp', async () => {
  const { peer, send, arrived } = await against({ conventions: lsp });
  peer.handle<[number, number]>('add', ([a, b]) => a + b);
  await send({ id: 1, method: 'add', params: [1, 2] });
  expect(await arrived(1)).toMatchObject([{ id: 1, result: 3 }]);
  void peer.notify('$/logTrace', ['a', 'b']);
  void peer.request('add', [3, 4]).catch(() => undefined);
  expect((await arrived(3)).slice(1)).toMatchObject([{ params: ['a', 'b'] }, { method: 'add', params: [3, 4] }]);

  const other = await against({});
  other.peer.handle('add', () => 0);
  await other.send({ id: 1, method: 'add', params: [1, 2] });
  expect(await other.arrived(1)).toMatchObject([{ id: 1, error: { code: -32600 } }]);
});

test('lsp: an abort sends $/cancelRequest', async () => {
  const { peer, arrived } = await against({ conventions: lsp });
  const abort = new AbortController();
  const asked = peer.request('textDocument/hover', {}, { signal: abort.signal });
  asked.catch(() => undefined);
  const [{ id } = {}] = await arrived(1);
  abort.abort(new Error('closed'));
  await expect(asked).rejects.toThrow('closed');
  expect((await arrived(2))[1]).toEqual({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id } });
});

test('lsp: a cancelled request is answered: with its result, its own error, or RequestCancelled', async () => {
  const { peer, send, arrived } = await against({ conventions: lsp, maxConcurrent: 3 });
  const aborted = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  peer.handle('partial', async (_params, { signal }) => {
    await aborted(signal);
    return ['half'];
  });
  peer.handle('own', async (_params, { signal }) => {
    await aborted(signal);
    throw new RpcError(-32801, 'ContentModified');
  });
  peer.handle(
    'stops',
    (_params, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  );
  for (const [id, method] of ['partial', 'own', 'stops', 'stops'].entries()) await send({ id, method });
  for (const id of [3, 0, 1, 2]) await send({ method: '$/cancelRequest', params: { id } });
  const answers = await arrived(4);
  expect(Object.fromEntries(answers.map(({ id, result, error }) => [id, result ?? error?.code]))).toEqual({
    0: ['half'],
    1: -32801,
    2: -32800,
    3: -32800, // it was still queued
  });
  expect(peer.serving).toBe(0);
});

test('lsp: delivers progress of our tokens, and of no others', async () => {
  const { peer, send, arrived } = await against({ conventions: lsp });
  const steps: unknown[] = [];
  const others: unknown[] = [];
  peer.onNotification('$/progress', (params) => others.push(params?.token));
  const indexed = peer.request('index', { root: '/' }, { onProgress: (step) => steps.push(step) });
  const [request] = await arrived(1);
  const { workDoneToken } = request!.params as { workDoneToken: string };
  expect(request!.params).toEqual({ root: '/', workDoneToken });
  const progress = (token: unknown, value: unknown) => send({ method: '$/progress', params: { token, value } });
  await progress(workDoneToken, { kind: 'begin', title: 'Indexing', percentage: 0 });
  await progress(1, { kind: 'report', percentage: 99 }); // a token created by the server
  await progress(workDoneToken, { kind: 'report', message: '3/4', percentage: 75 });
  await progress(null, null);
  await send({ id: request!.id, result: null });
  await indexed;
  expect(steps).toEqual([
    { progress: 0, total: 100, message: 'Indexing', value: { kind: 'begin', title: 'Indexing', percentage: 0 } },
    { progress: 75, total: 100, message: '3/4', value: { kind: 'report', message: '3/4', percentage: 75 } },
  ]);
  expect(others).toEqual([workDoneToken, 1, workDoneToken, null]);
});

test('plainJsonRpc: accepts batches at once, without ping and cancellation, and answers with id null if the id is unreadable', async () => {
  const [near, far] = duplexPair();
  const peer = new Peer(StreamTransport.over(near), { conventions: plainJsonRpc });
  peer.handle('double', (params) => (params as unknown as number[])[0]! * 2);
  await peer.start();
  const lines: string[] = [];
  const done = new Promise<void>((resolve) => {
    far.on('data', (chunk) => {
      lines.push(...String(chunk).trimEnd().split('\n'));
      if (lines.length === 3) resolve();
    });
  });
  far.write(
    '[{"jsonrpc":"2.0","id":1,"method":"double","params":[1]},{"jsonrpc":"2.0","id":2,"method":"double","params":[2]}]\n',
  );
  far.write('{"jsonrpc":"2.0","id":3,"method":"ping"}\n');
  far.write('{broken}\n');
  await done;
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    [
      { id: 1, result: 2 },
      { id: 2, result: 4 },
    ],
    { id: 3, error: { code: -32601 } },
    { id: null, error: { code: -32700 } },
  ]);
  const abort = new AbortController();
  const asked = peer.request('forever', undefined, { signal: abort.signal, onProgress: () => undefined });
  asked.catch(() => undefined);
  abort.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
  await peer.close();
  expect(lines.slice(3).map((line) => JSON.parse(line))).toMatchObject([{ method: 'forever' }]);
});

test('lsp over frames with a Content-Length', async () => {
  const [near, far] = memoryPair({ framing: contentLength() });
  const [left, right] = [new Peer(near, { conventions: lsp }), new Peer(far, { conventions: lsp })];
  right.handle('shutdown', () => null);
  await Promise.all([left.start(), right.start()]);
  expect(await left.request('shutdown')).toBeNull();
  await left.close();
});
