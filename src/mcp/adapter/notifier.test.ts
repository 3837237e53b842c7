import { expect, test } from 'vitest';
import { InboundCall } from '../../wire/jsonrpc/inbound.ts';
import { Notifier, type Subject } from './notifier.ts';

const newCall = (id: number) => new InboundCall({ jsonrpc: '2.0', id, method: 'tools/call' });

test('a client that has caught up receives the newest notification of each kind and running call, and the number of the others', () => {
  const sent: unknown[] = [];
  const notifier = new Notifier((method, params) => void sent.push([method.slice('notifications/'.length), params]));
  const tools = { method: 'notifications/tools/list_changed', params: undefined };
  const resources = ['mem://0', 'mem://1'].map((uri) => ({
    method: 'notifications/resources/updated',
    params: { uri },
  }));
  const calls = [1, 2, 3].map(newCall);
  notifier.progress(calls[0]!, { progressToken: 1, progress: 0.1 });
  notifier.setFull(true);
  const before = sent.length;
  for (let n = 1; n <= 1000; n++) {
    for (const call of calls) notifier.progress(call, { progressToken: call.id, progress: n });
    notifier.changed('notifications/tools/list_changed', { n }, () => tools);
    notifier.changed('notifications/resources/updated', { uri: `mem://${n % 2}/${n}` }, () => resources[n % 2]);
    notifier.changed('notifications/of_vendor', { n }, () => undefined);
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
    ['message', { level: 'error', data: '2000 notifications were not sent: the client did not read' }],
  ]);
  notifier.setFull(true);
  notifier.setFull(false);
  expect(sent).toHaveLength(5);
});

const updated = (uri: string): Subject => ({ method: 'notifications/resources/updated', params: { uri } });

test('keeps no data whose size the server chooses', () => {
  const sent: unknown[] = [];
  const notifier = new Notifier((_, params) => void sent.push(params));
  notifier.setFull(true);
  const long = 'x'.repeat(100_000);
  const call = newCall(1);
  notifier.progress(call, { progressToken: 't', progress: 1, total: 2, message: 'short', _meta: { long } });
  notifier.progress(newCall(2), { progressToken: 't', progress: 1, total: [long], message: long });
  const subject = updated('mem://a');
  for (let n = 0; n < 100; n++) notifier.changed(subject.method, { uri: `mem://a/${n}`, long }, () => subject);
  notifier.setFull(false);
  expect(sent).toEqual([
    { progressToken: 't', progress: 1, total: 2, message: 'short' },
    { progressToken: 't', progress: 1 },
    { uri: 'mem://a' },
  ]);
});

test('queued notifications stay queued if the client is full again, and those of ended subjects are dropped', () => {
  const sent: unknown[] = [];
  const notifier: Notifier = new Notifier((_, params) => {
    sent.push(params);
    notifier.setFull(true);
    return undefined;
  });
  notifier.setFull(true);
  const subjects = ['mem://1', 'mem://2', 'mem://3'].map(updated);
  for (const subject of subjects) notifier.changed(subject.method, undefined, () => subject);
  notifier.log({ level: 'info', data: 'x' });
  notifier.ended(subjects[1]!);
  for (let n = 1; n <= 3; n++) {
    notifier.setFull(false);
    expect(sent).toHaveLength(n);
  }
  expect(sent).toEqual([
    { uri: 'mem://1' },
    { uri: 'mem://3' },
    { level: 'info', data: '1 notifications were not sent: the client did not read' },
  ]);
});

test('repeats a refused change when the client has caught up, and counts a refused log message', async () => {
  const sent: unknown[] = [];
  let refuses = true;
  const notifier: Notifier = new Notifier((_, params) => {
    if (!refuses) return void sent.push(params);
    notifier.setFull(true);
    return Promise.reject(new Error('too much waits'));
  });
  const subject = updated('mem://a');
  notifier.changed(subject.method, { uri: 'mem://a/1' }, () => subject);
  await Promise.resolve();
  notifier.setFull(false);
  await Promise.resolve();
  notifier.setFull(false);
  notifier.log({ level: 'info', data: 'x' });
  await Promise.resolve();
  refuses = false;
  notifier.setFull(false);
  expect(sent).toEqual([
    { uri: 'mem://a' },
    { level: 'info', data: '1 notifications were not sent: the client did not read' },
  ]);
});
