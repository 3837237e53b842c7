// Log messages of a modern server name no request: they go to the caller that they may belong to.

import { expect, test } from 'vitest';
import { TestCaller, TestWatcher } from '../contract/test-caller.ts';
import { startHeldServer } from '../fixtures/mcp-client/held-server.ts';

test('a log message of a modern server goes to the only caller that wants it, to none of several, and to watchers without any', async () => {
  const server = await startHeldServer({ era: 'modern' });
  const watcher = new TestWatcher({ logs: 'info' });
  await server.service.watch(watcher);
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
  expect(server.client.warnings).toMatchObject([{ topic: 'log-of-several' }]);
  await server.close();
});
