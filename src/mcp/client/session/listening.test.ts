// Failures of `subscriptions/listen`: the test writes every line of the server.

import { expect, test } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import { PeerError } from '../../../base/errors.ts';
import type { Channel } from '../../../wire/jsonrpc/channel.ts';
import type { JsonRpcMessage, JsonRpcRequest, RequestId } from '../../../wire/jsonrpc/message.ts';
import { memoryPair } from '../../../wire/transport/stream-transport.ts';
import { SUBSCRIPTION_ID } from '../../meta.ts';
import type { SubscriptionFilter } from '../../types.ts';
import { openClient } from '../opening/open-client.ts';

async function start() {
  const [near, far] = memoryPair();
  const clock = new ManualClock();
  const received: JsonRpcRequest[] = [];
  const waiting = new Set<() => void>();
  far.onmessage = (message) => {
    const request = message as unknown as JsonRpcRequest;
    received.push(request);
    if (request.method === 'server/discover') {
      const result = { supportedVersions: ['2026-07-28'], capabilities: {}, resultType: 'complete' };
      void far.send({ jsonrpc: '2.0', id: request.id, result });
    }
    for (const look of waiting) look();
  };
  await far.start();
  const target = { open: () => near, canReopen: false, key: undefined };
  const client = await openClient(target, { clock, requestTimeoutMs: 1000 });
  const send = (message: object) => far.send({ jsonrpc: '2.0', ...message } as JsonRpcMessage);
  return {
    client,
    clock,
    /** Simulates HTTP: the stream of one request ends without an answer. */
    cut: (id: RequestId) => (near as Channel).onlost?.(id, new PeerError('OUTCOME_UNKNOWN', 'The stream was cut')),
    received,
    send,
    /** Resolves when everything sent so far has been read and handled. */
    settle: async () => {
      await client.ping();
      await new Promise(setImmediate);
    },
    /** Resolves with the n-th request of this method that the client sent. */
    async nth(method: string, n: number): Promise<JsonRpcRequest> {
      const found = () => received.filter((message) => message.method === method)[n];
      while (!found()) {
        await new Promise<void>((resolve) => {
          waiting.add(resolve);
        });
      }
      return found()!;
    },
    acknowledge: ({ id, params }: JsonRpcRequest, honoured = params?.notifications as SubscriptionFilter) =>
      send({
        method: 'notifications/subscriptions/acknowledged',
        params: { _meta: { [SUBSCRIPTION_ID]: id }, notifications: honoured },
      }),
    updated: (uri: string, id?: unknown) =>
      send({
        method: 'notifications/resources/updated',
        params: { uri, ...(id !== undefined && { _meta: { [SUBSCRIPTION_ID]: id } }) },
      }),
  };
}

const LISTEN = 'subscriptions/listen';
const ignore = () => undefined;

test('a listen that is not acknowledged in time fails and is cancelled, and the next one works', async () => {
  const server = await start();
  const late = server.client.subscribe('a:', ignore);
  const first = await server.nth(LISTEN, 0);
  server.clock.advance(1000);
  await expect(late).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
  expect((await server.nth('notifications/cancelled', 0)).params?.requestId).toBe(first.id);

  const news: string[] = [];
  const subscribing = server.client.subscribe('b:', ({ uri }) => news.push(uri));
  const second = await server.nth(LISTEN, 1);
  await server.acknowledge(first); // this late acknowledgement does not belong to the pending stream
  await server.acknowledge(second);
  await subscribing;
  await server.settle();
  await server.updated('b:', second.id);
  await server.settle();
  expect(news).toEqual(['b:']);
});

test('a listen has no timeout once it is acknowledged', async () => {
  const server = await start();
  const news: string[] = [];
  const subscribing = server.client.subscribe('a:', ({ uri }) => news.push(uri));
  const listen = await server.nth(LISTEN, 0);
  await server.acknowledge(listen);
  await subscribing;
  server.clock.advance(24 * 3_600_000);
  await server.updated('a:', listen.id);
  await server.settle();
  expect(news).toEqual(['a:']);
});

for (const end of ['answer', 'cancel', 'error'] as const) {
  test(`a server that ends a listen before its acknowledgement, by ${end}`, async () => {
    const server = await start();
    const subscribing = server.client.subscribe('a:', ignore);
    const { id } = await server.nth(LISTEN, 0);
    if (end === 'answer') await server.send({ id, result: { resultType: 'complete' } });
    else if (end === 'error') await server.send({ id, error: { code: -32603, message: 'full' } });
    else await server.send({ method: 'notifications/cancelled', params: { requestId: id } });
    await expect(subscribing).rejects.toThrow(end === 'error' ? 'full' : /ended subscriptions\/listen before/);
  });
}

test('delivers notifications of the old listen until the new one is acknowledged', async () => {
  const server = await start();
  const news: string[] = [];
  const first = server.client.subscribe('a:', ({ uri }) => news.push(uri));
  const old = await server.nth(LISTEN, 0);
  await server.acknowledge(old);
  await first;
  const second = server.client.subscribe('b:', ignore);
  const next = await server.nth(LISTEN, 1);
  await server.updated('a:#1', old.id);
  await server.acknowledge(next);
  await server.updated('a:#2', old.id);
  await server.updated('a:#2', next.id);
  await second;
  await server.settle();
  expect(news).toEqual(['a:#1', 'a:#2']);
  expect((await server.nth('notifications/cancelled', 0)).params?.requestId).toBe(old.id);
});

test('accepts notifications without a subscription id, with a warning', async () => {
  const server = await start();
  const news: string[] = [];
  await server.updated('a:');
  const subscribing = server.client.subscribe('a:', ({ uri }) => news.push(uri));
  await server.acknowledge(await server.nth(LISTEN, 0));
  await subscribing;
  await server.updated('a:');
  await server.updated('a:');
  await server.settle();
  expect(news).toEqual(['a:', 'a:']);
  expect(server.client.warnings.map(({ topic }) => topic)).toEqual(['news-unmarked']);
});

test('warns about lists that the server does not announce, and about a refused listen', async () => {
  const server = await start();
  const stop = server.client.onListChanged('prompts', ignore);
  await server.acknowledge(await server.nth(LISTEN, 0), {});
  await server.settle();
  stop();
  server.client.onListChanged('tools', ignore);
  const { id } = await server.nth(LISTEN, 1);
  await server.send({ id, error: { code: -32601, message: 'no such method' } });
  await server.settle();
  expect(server.client.warnings).toEqual([
    { topic: 'news-not-sent', message: 'The server does not announce changes of these lists: prompts' },
    { topic: 'listen-failed', message: expect.stringContaining('no such method') },
  ]);
});

test('reopens a stream that was cut with the current filter, and reports possible missed changes', async () => {
  const server = await start();
  const news: string[] = [];
  const first = server.client.subscribe('a:', ({ uri }) => news.push(uri));
  const cut = await server.nth(LISTEN, 0);
  await server.acknowledge(cut);
  await first;
  server.cut(cut.id);
  await server.settle();
  server.clock.advance(250);
  const again = await server.nth(LISTEN, 1);
  server.cut(again.id); // the stream is not acknowledged yet
  await server.settle();
  const stop = server.client.onListChanged('tools', () => news.push('tools'));
  const third = await server.nth(LISTEN, 2);
  expect(third.params?.notifications).toEqual({ toolsListChanged: true, resourceSubscriptions: ['a:'] });
  await server.acknowledge(third);
  await server.settle();
  expect(news).toEqual(['tools', 'a:']);
  await server.updated('a:', third.id);
  await server.settle();
  expect(news).toEqual(['tools', 'a:', 'a:']);
  stop();
  await server.nth(LISTEN, 3);
  server.clock.advance(60_000);
  await server.settle();
  expect(server.received.filter(({ method }) => method === LISTEN)).toHaveLength(4);
});

test('a server that refuses to reopen the stream ends the subscription', async () => {
  const server = await start();
  const ended: string[] = [];
  const subscribing = server.client.subscribe('a:', ignore, { onClosed: (why) => ended.push(why) });
  const cut = await server.nth(LISTEN, 0);
  await server.acknowledge(cut);
  await subscribing;
  server.cut(cut.id);
  await server.settle();
  server.clock.advance(250);
  const { id } = await server.nth(LISTEN, 1);
  await server.send({ id, error: { code: -32603, message: 'full' } });
  await server.settle();
  expect(ended).toEqual(['server']);
});

test('closing before a stream is reopened leaves no timer', async () => {
  const server = await start();
  const subscribing = server.client.subscribe('a:', ignore);
  const cut = await server.nth(LISTEN, 0);
  await server.acknowledge(cut);
  await subscribing;
  server.cut(cut.id);
  await server.settle();
  expect(server.clock.pending).toBeGreaterThan(0);
  await server.client.close();
  expect(server.clock.pending).toBe(0);
});
