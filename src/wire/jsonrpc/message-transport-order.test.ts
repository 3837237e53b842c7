// The receiver handles notifications in promises and answers at once, like the protocol class of the official SDK.

import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { StreamTransport } from '../transport/stream-transport.ts';
import type { JsonRpcMessage } from './message.ts';
import { AnswersAfterNotifications } from './message-transport.ts';

const note = (text: string) => ({ jsonrpc: '2.0', method: 'notifications/message', params: { data: text } });
const answer = (id: number) => ({ jsonrpc: '2.0', id, result: {} });
const question = (id: string) => ({ jsonrpc: '2.0', id, method: 'ping' });

test('handles a chunk of notifications and answers in order, and then the end', async () => {
  const input = new PassThrough();
  const transport = new StreamTransport(input, new PassThrough());
  const handled: string[] = [];
  const receive = (message: JsonRpcMessage): void => {
    if (!('method' in message)) handled.push(`answer ${message.id}`);
    else if ('id' in message) handled.push(`question ${message.id}`);
    else void Promise.resolve().then(() => handled.push(String(message.params?.data)));
  };
  transport.onmessage = receive as never;
  const closed = new Promise<void>((resolve) => {
    transport.onclose = () => {
      handled.push('closed');
      resolve();
    };
  });
  await transport.start();
  const messages = [
    note('a'),
    note('b'),
    answer(1),
    answer(2),
    note('c'),
    answer(3),
    question('q'),
    note('d'),
    answer(4),
  ];
  input.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  await closed;
  expect(handled).toEqual(['a', 'b', 'answer 1', 'answer 2', 'c', 'answer 3', 'question q', 'd', 'answer 4', 'closed']);
});

test('a call that throws does not block the following ones', async () => {
  const deliveries = new AnswersAfterNotifications();
  const called: string[] = [];
  expect(() =>
    deliveries.deliver('notification', () => {
      throw new Error('of the receiver');
    }),
  ).toThrow('of the receiver');
  deliveries.deliver('answer', () => called.push('answer'));
  deliveries.deliver('other', () => called.push('other'));
  expect(called).toEqual([]);
  await Promise.resolve();
  expect(called).toEqual(['answer', 'other']);
});
