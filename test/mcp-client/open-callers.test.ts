// Messages of a modern server for one client reach no other client: late log messages, and notifications of an ended
// subscription.

import { expect, test } from 'vitest';
import { TestCaller, TestWatcher } from '../contract/test-caller.ts';
import { startHeldServer } from '../fixtures/mcp-client/held-server.ts';

test('a log message of a modern server goes to the only caller that wants it, to none of several, and to this program if there is none', async () => {
  const server = await startHeldServer({ era: 'modern' });
  const watcher = new TestWatcher({ logs: 'info' });
  const other = Object.assign(new TestWatcher({ logs: 'info', others: true }), { client: new TestCaller().client });
  await Promise.all([server.service.watch(watcher), server.service.watch(other)]);
  const log = (data: string) => server.send({ method: 'notifications/message', params: { level: 'info', data } });
  const [ada, alan] = [new TestCaller(), new TestCaller()];
  const requests = [server.service.request('tools/call', { name: 'a' }, ada)];
  await server.has(1);
  await log('one');
  await ada.until(() => ada.logged.length === 1);
  requests.push(server.service.request('tools/call', { name: 'b' }, alan));
  await server.has(2);
  await log('two');
  await Promise.all([server.answer(0), server.answer(1), ...requests]);
  await log('three');
  await watcher.until(() => watcher.heard.length > 0);
  expect(ada.logged).toEqual([{ level: 'info', data: 'one' }]);
  expect(alan.logged).toEqual([]);
  expect(watcher.heard).toEqual([{ method: 'notifications/message', params: { level: 'info', data: 'three' } }]);
  expect(other.heard).toEqual([]);
  expect(server.client.warnings).toMatchObject([{ topic: 'log-of-several' }]);
  await server.close();
});

test('a notification of an ended subscription reaches no other client', async () => {
  const server = await startHeldServer({ era: 'modern' });
  const other = Object.assign(new TestWatcher({ others: true }), { client: new TestCaller().client });
  await server.service.watch(other);
  const own = Object.assign(new TestWatcher({ further: { inbox: 'ada' } }), { client: new TestCaller().client });
  const watching = server.service.watch(own);
  await server.has(1);
  const { id } = server.held[0]!;
  const about = (subscriptionId: unknown) => ({ _meta: { 'io.modelcontextprotocol/subscriptionId': subscriptionId } });
  const mail = (text: string, subscriptionId: unknown) =>
    server.send({ method: 'notifications/mail', params: { text, ...about(subscriptionId) } });
  const accepted = { notifications: { inbox: 'ada' }, ...about(id) };
  await server.send({ method: 'notifications/subscriptions/acknowledged', params: accepted });
  const stop = await watching;
  await mail('first', id);
  await mail('id as text', String(id));
  await own.until(() => own.heard.length === 2);
  stop();
  await mail('late', id);
  await server.send({ method: 'notifications/mail', params: { text: 'to all' } });
  await other.until(() => other.heard.length > 0);
  expect(other.heard.map(({ params }) => params?.text)).toEqual(['to all']);
  expect(own.heard.map(({ params }) => params?.text)).toEqual(['first', 'id as text']);
  await server.close();
});

test('changes of subscriptions during a request share the next request', async () => {
  const server = await startHeldServer({ era: 'modern' });
  const watch = (at: number) => server.service.watch(new TestWatcher({ resourceSubscriptions: [`mem://${at}`] }));
  const watching = Array.from({ length: 100 }, (_, at) => watch(at));
  for (let answered = 0; answered < 2; answered++) {
    await server.has(answered + 1);
    const { id, params } = server.held[answered]!;
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
    const notifications = (params as { notifications: object }).notifications;
    await server.send({ method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta } });
    if (answered === 0) watching.push(...Array.from({ length: 100 }, (_, at) => watch(100 + at)));
  }
  await Promise.all(watching);
  expect(server.held).toHaveLength(2);
  await server.close();
});
