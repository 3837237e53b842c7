// Notifications that the client does not read at once are limited, and each omission is reported.

import { expect, test } from 'vitest';
import { fixture } from '../fixtures/server.ts';
import { messages, startUnread } from '../fixtures/unread-child.ts';

const TIMES = 100_000;

test('above the limit, the newest progress is kept, log messages are counted, and the answer is sent', async () => {
  const { child } = startUnread(fixture('answers-at-length'));
  const call = (id: number, name: string, args: object, _meta: object = {}) =>
    child.stdin.write(
      `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args, _meta } })}\n`,
    );
  call(1, 'report', { times: TIMES, length: 1000 }, { progressToken: 'p' });
  const progress: number[] = [];
  let logs = 0;
  let unsent = 0;
  for await (const { id, method, params, result } of messages(child, '\n')) {
    if (method === 'notifications/progress') progress.push(params.progress);
    if (method === 'notifications/message' && params.data.startsWith('l')) logs++;
    else if (method === 'notifications/message') unsent = Number.parseInt(params.data, 10);
    if (id === 1) expect(result.content[0].text).toBe('reported');
    if (id === 1) call(2, 'text', { length: 1 });
    if (id === 2) child.stdin.end();
  }
  expect(progress).toEqual([...progress].sort((a, b) => a - b));
  expect(logs).toBeGreaterThan(1000);
  expect(unsent).toBeGreaterThan(1000);
  expect(logs + unsent).toBe(TIMES);
}, 120_000);
