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

test('a process that exits at the question for its revision is a probe, and the next one is not', () => {
  const { analysis, server } = setup();
  server.text('toServer', request(1, 'server/discover'));
  server.add(exit);
  expect(analysis.lives.of('s')).toMatchObject([{ life: 1, probe: true }]);
  const { analysis: other, server: second } = setup();
  second.text('toServer', request(1, 'initialize'));
  second.add(exit);
  expect(other.lives.of('s')[0]?.probe).toBeUndefined();
});

test('requests that control the host are counted apart from those to servers', () => {
  const { analysis } = setup();
  let seq = 0;
  const frame = (method: string) => {
    const payload = new TextEncoder().encode(request(1, method));
    return {
      seq: ++seq,
      atMs: 0,
      server: 'client 1',
      life: 1,
      kind: 'frame',
      direction: 'fromClient',
      payload,
    } as never;
  };
  analysis.see(frame('standpipe/status'), 0);
  expect(analysis.clients.list()).toMatchObject([{ requests: 1, controls: 1 }]);
  analysis.see(frame('tools/call'), 0);
  expect(analysis.clients.list()).toMatchObject([{ requests: 2, controls: 1 }]);
});

test('the answers that hold the lists of a server are remembered, newest last', () => {
  const { analysis, server } = setup();
  for (const id of [1, 2]) {
    server.text('toServer', request(id, 'tools/list'));
    server.text('fromServer', answer(id));
  }
  server.text('toServer', request(3, 'tools/call'));
  server.text('fromServer', answer(3));
  expect(analysis.lists.of('s', 'tools/list')).toEqual([
    { requestSeq: 1, answerSeq: 2 },
    { requestSeq: 3, answerSeq: 4 },
  ]);
  expect(analysis.lists.of('s', 'tools/call')).toEqual([]);
});
