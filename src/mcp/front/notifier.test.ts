import { expect, test } from 'vitest';
import { InboundCall } from '../../jsonrpc/inbound.ts';
import { Notifier } from './notifier.ts';

const newCall = (id: number) => new InboundCall({ jsonrpc: '2.0', id, method: 'tools/call' });

test('a client that has caught up gets the newest of each kind, of calls that still run, and the number of the rest', () => {
  const sent: unknown[] = [];
  const notifier = new Notifier((method, params) => sent.push([method.slice('notifications/'.length), params]));
  const calls = [1, 2, 3].map(newCall);
  notifier.progress(calls[0]!, { progressToken: 1, progress: 0.1 });
  notifier.setFull(true);
  const before = sent.length;
  for (let n = 1; n <= 1000; n++) {
    for (const call of calls) notifier.progress(call, { progressToken: call.id, progress: n });
    notifier.changed('notifications/tools/list_changed');
    notifier.changed('notifications/resources/updated', { uri: `mem://${n % 2}` });
    notifier.log({ level: 'error', data: 'x' });
  }
  notifier.reply('notifications/subscriptions/acknowledged', {});
  expect(sent.length).toBe(before + 1);
  calls[1]!.settled = true;
  calls[2]!.cancel('no more');
  sent.length = 0;
  notifier.setFull(false);
  expect(sent).toEqual([
    ['progress', { progressToken: 1, progress: 1000 }],
    ['tools/list_changed', undefined],
    ['resources/updated', { uri: 'mem://1' }],
    ['resources/updated', { uri: 'mem://0' }],
    ['message', { level: 'error', data: '1000 notifications were not sent: the client did not read' }],
  ]);
  notifier.setFull(true);
  notifier.setFull(false);
  expect(sent).toHaveLength(5);
});

test('changes are kept up to a limit while the client does not read, and counted beyond', () => {
  const sent: { method: string; params: unknown }[] = [];
  const notifier = new Notifier((method, params) => sent.push({ method, params }));
  notifier.setFull(true);
  const megabyte = 'x'.repeat(1024 * 1024);
  for (let n = 0; n < 40; n++) notifier.changed('notifications/resources/updated', { uri: `mem://${n}`, megabyte });
  notifier.setFull(false);
  const kept = sent.length - 1;
  expect(kept).toBe(31);
  expect(sent.at(-1)?.params).toEqual({
    level: 'warning',
    data: `${40 - kept} notifications were not sent: the client did not read`,
  });
});
