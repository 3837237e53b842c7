import { expect, test } from 'vitest';
import { FlowStore } from '../flow/store.ts';
import { Analysis } from './analysis.ts';

function setup() {
  const flow = new FlowStore();
  const analysis = new Analysis();
  let nowMs = 0;
  flow.subscribe((event) => analysis.see(event, nowMs));
  return {
    analysis,
    server: flow.begin('s'),
    /** Advances the time by `ms` and returns the change. */
    after(ms: number) {
      nowMs += ms;
      return analysis.takeChange(nowMs);
    },
    kinds: () => analysis.problems.map(({ kind }) => kind),
  };
}

const request = (id: number, method = 'ping') => JSON.stringify({ jsonrpc: '2.0', id, method });
const answer = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, result: {} });
const exit = { kind: 'exit', exitCode: 0, signal: null } as const;

test('a request changes when it is answered, cancelled or lost, and the change is returned once', () => {
  const { server, after } = setup();
  for (const id of [1, 2, 3]) server.text('toServer', request(id));
  expect(after(0)).toEqual({ updated: new Set(), servers: false, clients: false, problems: false, tasks: new Set() });
  server.text('fromServer', answer(1));
  server.text('toServer', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}');
  expect(after(0).updated).toEqual(new Set([1, 2]));
  server.add(exit);
  expect(after(0)).toEqual({ updated: new Set([3]), servers: true, clients: false, problems: false, tasks: new Set() });
  expect(after(0).updated.size).toBe(0);
});

test('a request counts as unanswered only after the answers in the pipe have been read', () => {
  const { analysis, server, after, kinds } = setup();
  server.text('toServer', request(1));
  server.text('toServer', request(2));
  server.text('toServer', request(3, 'subscriptions/listen')); // stays pending by design
  server.text('fromServer', request(4)); // a request from the server
  server.add(exit);
  after(99);
  expect([analysis.isUnsettled, kinds()]).toEqual([true, []]);
  server.text('fromServer', answer(1));
  expect(after(1).problems).toBe(true);
  expect(analysis.isUnsettled).toBe(false);
  expect(analysis.problems).toMatchObject([{ kind: 'unanswered', seq: 2, count: 1 }]);
});

test('a violation counts once per event', () => {
  const { analysis, server, after } = setup();
  server.text('toServer', request(1));
  server.text('fromServer', '{"jsonrpc":"2.0","id":"1","result":{}}');
  expect(analysis.problems).toMatchObject([{ kind: 'schema-violation', seq: 2, count: 1 }]);
  analysis.noteViolation({ seq: 2, server: 's' } as never, 'more of it');
  expect(analysis.problems).toMatchObject([{ count: 1 }]);
  expect(after(0).problems).toBe(true);
});
