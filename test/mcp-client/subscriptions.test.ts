// Subscriptions and changed lists: `resources/subscribe` and notifications in the legacy era, one shared
// `subscriptions/listen` in the modern era.

import { expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import type { ResourceUpdate } from '../../src/entry/client.ts';
import { Logged } from '../fixtures/mcp-client/logged.ts';
import { until } from '../fixtures/server.ts';

for (const era of ['legacy', 'modern'] as const) {
  test(`${era}: delivers updates of a resource to subscribers until they stop`, async () => {
    const server = new Logged(era);
    const client = await server.connect();
    const first: ResourceUpdate[] = [];
    const second: ResourceUpdate[] = [];
    const [stopFirst, stopSecond] = await Promise.all([
      client.subscribe('mem://a', (update) => first.push(update)),
      client.subscribe('mem://a', (update) => second.push(update)),
    ]);
    await client.callTool('touch', { uri: 'mem://a' });
    expect(first.map(({ uri }) => uri)).toEqual(['mem://a']);
    expect(second).toEqual(first);
    await client.callTool('touch', { uri: 'mem://a/part' });
    await client.callTool('touch', { uri: 'mem://another' });
    expect(first.map(({ uri }) => uri)).toEqual(['mem://a', 'mem://a/part']);
    await stopFirst();
    await client.callTool('touch', { uri: 'mem://a' });
    expect([first.length, second.length]).toEqual([2, 3]);
    await stopSecond();
    await stopSecond();
    await client.callTool('touch', { uri: 'mem://a' });
    expect(second).toHaveLength(3);
    const subscriptions = server.methods.filter((method) => /subscri/.test(method));
    expect(subscriptions).toEqual(
      era === 'legacy' ? ['resources/subscribe', 'resources/unsubscribe'] : ['subscriptions/listen'],
    );
    expect(server.methods.filter((method) => method === 'notifications/cancelled')).toHaveLength(
      era === 'legacy' ? 0 : 1,
    );
  });

  test(`${era}: announces a changed list and fetches it again`, async () => {
    const server = new Logged(era);
    const client = await server.connect();
    let changes = 0;
    const changed = new Promise<void>((resolve) => {
      client.onListChanged('tools', () => {
        changes++;
        resolve();
      });
    });
    if (era === 'modern') await until('listening', () => server.methods.includes('subscriptions/listen'));
    await client.listTools();
    await client.callTool('change');
    await changed;
    await client.listTools();
    expect(changes).toBe(1);
    expect(server.methods.filter((method) => method === 'tools/list')).toHaveLength(2);
  });

  test(`${era}: notifies subscribers of the end of the connection`, async () => {
    const client = await new Logged(era).connect();
    const ends: string[] = [];
    await client.subscribe('mem://a', () => undefined, { onClosed: (why) => ends.push(why) });
    client.onListChanged('tools', () => undefined, { onClosed: (why) => ends.push(`list ${why}`) });
    await client.close();
    await client.closed;
    expect(ends).toEqual(['connection', 'list connection']);
  });
}

test('modern: the filter grows and shrinks with one listen at a time, without repeated notifications', async () => {
  const server = new Logged('modern');
  const client = await server.connect();
  const news: string[] = [];
  const stopList = client.onListChanged('tools', () => news.push('tools'));
  await client.subscribe('mem://a', ({ uri }) => news.push(uri));
  const stopB = await client.subscribe('mem://b', ({ uri }) => news.push(uri));
  await client.callTool('change');
  await client.callTool('touch', { uri: 'mem://a' });
  await client.callTool('touch', { uri: 'mem://b' });
  expect(news).toEqual(['tools', 'mem://a', 'mem://b']);
  await stopB();
  stopList();
  await client.subscribe('mem://c', ({ uri }) => news.push(uri));
  await client.callTool('change');
  await client.callTool('touch', { uri: 'mem://b' });
  await client.callTool('touch', { uri: 'mem://a' });
  expect(news).toEqual(['tools', 'mem://a', 'mem://b', 'mem://a']);
  const listens = server.received.filter(({ method }) => method === 'subscriptions/listen');
  const last = listens.at(-1)!;
  expect(last.params).toMatchObject({ notifications: { resourceSubscriptions: ['mem://a', 'mem://c'] } });
  const cancelled = server.received.filter(({ method }) => method === 'notifications/cancelled');
  expect(cancelled.map(({ params }) => params?.requestId)).toEqual(listens.slice(0, -1).map(({ id }) => id));
});

for (const how of ['result', 'cancelled'] as const) {
  test(`modern: the server ends the subscription by ${how}: reported once, not renewed, and available again`, async () => {
    const server = new Logged('modern');
    const client = await server.connect();
    const ends: string[] = [];
    const news: string[] = [];
    const closed = new Promise<void>((resolve) => {
      client.onListChanged('tools', () => news.push('tools'), {
        onClosed: (why) => {
          ends.push(why);
          resolve();
        },
      });
    });
    const stop = await client.subscribe('mem://a', ({ uri }) => news.push(uri), { onClosed: (why) => ends.push(why) });
    await client.callTool('endListen', { how });
    await closed;
    await stop();
    await client.ping();
    expect(ends).toEqual(['server', 'server']);
    const listens = () => server.methods.filter((method) => method === 'subscriptions/listen').length;
    const before = listens();
    await client.subscribe('mem://b', ({ uri }) => news.push(uri));
    expect(listens()).toBe(before + 1);
    await client.callTool('change');
    await client.callTool('touch', { uri: 'mem://b' });
    expect(news).toEqual(['tools', 'mem://b']);
  });
}

test('modern: reports the reason if the server does not support a subscription', async () => {
  const client = await new Logged('modern').connect();
  await expect(client.subscribe('unheard:x', () => undefined)).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
  await expect(client.subscribe('mem://refused', () => undefined)).rejects.toMatchObject({
    code: 'INTERNAL_ERROR',
    message: 'Subscription limit reached',
  });
  const news: string[] = [];
  await client.subscribe('mem://a', ({ uri }) => news.push(uri));
  await client.callTool('touch', { uri: 'mem://a' });
  expect(news).toEqual(['mem://a']);
});

test('modern: caches lists for the time that the server sets, or until it announces a change', async () => {
  const clock = new ManualClock();
  const server = new Logged('modern', '0', '{"ttlMs":1000}');
  const client = await server.connect({ clock });
  const asked = () => server.methods.filter((method) => method === 'tools/list').length;
  const [one, other] = await Promise.all([client.listTools(), client.listTools()]);
  expect(one).toEqual(other);
  expect(asked()).toBe(1);
  one.tools.length = 0;
  clock.advance(999);
  expect((await client.listTools()).tools).toEqual(other.tools);
  expect(asked()).toBe(1);
  clock.advance(1);
  await client.listTools();
  expect(asked()).toBe(2);
  await client.listTools({ fresh: true });
  expect(asked()).toBe(3);
  client.onListChanged('tools', () => undefined);
  await client.subscribe('mem://a', () => undefined); // `subscriptions/listen` is acknowledged now
  await client.callTool('change');
  await client.listTools();
  expect(asked()).toBe(4);
});

test('modern: fetches a list with a time of 0 every time', async () => {
  const server = new Logged('modern');
  const client = await server.connect();
  await client.listTools();
  await client.listTools();
  expect(server.methods.filter((method) => method === 'tools/list')).toHaveLength(2);
});

test('legacy: caches a list only if the server announces changes', async () => {
  const server = new Logged('legacy');
  const client = await server.connect();
  await client.listTools();
  await client.listTools();
  await client.listPrompts();
  await client.listPrompts();
  expect(server.methods.filter((method) => method.endsWith('/list'))).toEqual([
    'tools/list',
    'prompts/list',
    'prompts/list',
  ]);
});

test('legacy: ending a queued subscription does not end a newer subscription', async () => {
  const server = new Logged('legacy');
  const client = await server.connect();
  const updates: unknown[] = [];
  const filter = { resourceSubscriptions: ['mem://a'] };
  let holds = false;
  let release: (() => void) | undefined;
  const turn = async <T>(send: () => Promise<T>) => {
    if (holds)
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    return send();
  };
  const stop = await client.service.watch({ filter, notified: () => undefined, turn });
  holds = true;
  const stopped = stop() as unknown as Promise<void>;
  await until('the end waits', () => release !== undefined);
  await client.service.watch({ filter, notified: (_, params) => updates.push(params) });
  release!();
  await stopped;
  await client.callTool('touch', { uri: 'mem://a' });
  expect(updates).toHaveLength(1);
  expect(server.methods.filter((method) => /subscri/.test(method))).toEqual([
    'resources/subscribe',
    'resources/subscribe',
  ]);
});
