// The parts of the time of a client request.

import { expect, test } from 'vitest';
import { type Exchange, timesOf } from './exchange.ts';

function exchange(direction: Exchange['direction'], startMs: number, endMs?: number, links: Exchange[] = []): Exchange {
  const rest = { server: 's', life: 1, id: 1, method: 'tools/call', tool: undefined, progressToken: undefined };
  const outcome = endMs === undefined ? 'pending' : 'ok';
  const told = { http: undefined, requestSeq: 1, requestBytes: 1, outcome, progressCount: 0 } as const;
  return { ...rest, ...told, direction, startMs, links, ...(endMs !== undefined && { endMs }) };
}

test.each([
  ['one request', [[3, 7]], { beforeMs: 3, serverMs: 4, betweenMs: 0, afterMs: 3 }],
  [
    'a request that was sent again',
    [
      [1, 2],
      [5, 9],
    ],
    { beforeMs: 1, serverMs: 5, betweenMs: 3, afterMs: 1 },
  ],
  [
    'two at a time',
    [
      [2, 6],
      [4, 8],
    ],
    { beforeMs: 2, serverMs: 6, betweenMs: 0, afterMs: 2 },
  ],
  ['one that began under an earlier request', [[-5, 4]], { beforeMs: 0, serverMs: 4, betweenMs: 0, afterMs: 6 }],
  ['one that goes on', [[2, 20]], { beforeMs: 2, serverMs: 8, betweenMs: 0, afterMs: 0 }],
] as const)('%s', (_, sent, times) => {
  const links = sent.map(([start, end]) => exchange('toServer', start, end));
  expect(timesOf(exchange('fromClient', 0, 10, links))).toEqual(times);
});

test('has no times during a request, or without a request to a server', () => {
  expect(timesOf(exchange('fromClient', 0, undefined, [exchange('toServer', 1, 2)]))).toBeUndefined();
  expect(timesOf(exchange('fromClient', 0, 10, [exchange('toClient', 1, 2)]))).toBeUndefined();
});
