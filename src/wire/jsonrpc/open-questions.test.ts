// While the other end waits for one of our answers, only the request that caused its question may exceed its timeout.

import { expect, test } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { memoryPair } from '../transport/stream-transport.ts';
import { Peer } from './peer.ts';

interface Held {
  answer: () => void;
}

/** A client and a server with a manual clock. Requests of the client stay unanswered until the test answers them. */
async function asking() {
  const clock = new ManualClock();
  const [clientEnd, serverEnd] = memoryPair();
  const client = new Peer(clientEnd, { clock });
  const server = new Peer(serverEnd, { clock });
  const questions: Held[] = [];
  const calls = new Map<unknown, Held>();
  const holding = (keep: (held: Held) => void) =>
    new Promise<object>((resolve) => keep({ answer: () => resolve({ done: true }) }));
  client.handle('ask', () => holding((held) => questions.push(held)), { asks: true });
  client.handle('work', () => holding((held) => questions.push(held)));
  server.handle('call', ({ name }) => holding((held) => calls.set(name, held)));
  await Promise.all([client.start(), server.start()]);
  const ended: string[] = [];
  return {
    clock,
    server,
    calls,
    questions,
    ended,
    async call(name: string, timeoutMs: number) {
      const params = { name };
      client.request('call', params, { timeoutMs }).then(
        () => ended.push(`${name}: answered`),
        (error) => ended.push(`${name}: ${error.code}`),
      );
      await turnsUntil(() => calls.has(name));
    },
    /** Sends a question from the server. Resolves when the client has started to answer. */
    async ask(method = 'ask') {
      const before = questions.length;
      const answer = server.request(method, {}, { timeoutMs: 1e9 }).catch(() => undefined);
      await turnsUntil(() => questions.length > before);
      return { answer, held: questions.at(-1)! };
    },
    async turn(ms: number) {
      clock.advance(ms);
      await turnsUntil(() => true);
    },
  };
}

async function turnsUntil(holds: () => boolean): Promise<void> {
  do await new Promise(setImmediate);
  while (!holds());
}

test('the timeout of the only request in flight when a question arrives pauses until the answer, and then starts again', async () => {
  const { call, ask, turn, calls, ended } = await asking();
  await call('a', 500);
  const { held, answer } = await ask();
  await turn(60_000);
  expect(ended).toEqual([]);
  held.answer();
  await answer;
  await turn(499);
  expect(ended).toEqual([]);
  await turn(1);
  expect(ended).toEqual(['a: REQUEST_TIMEOUT']);
  calls.get('a')!.answer();
});

test('requests after the question keep their timeouts', async () => {
  const { call, ask, turn, calls, ended } = await asking();
  await call('a', 500);
  await ask();
  await call('b', 500);
  await turn(500);
  expect(ended).toEqual(['b: REQUEST_TIMEOUT']);
  await turn(60_000);
  calls.get('a')!.answer();
  await turnsUntil(() => ended.length === 2);
  expect(ended[1]).toBe('a: answered');
});

test('with several requests in flight, all keep their timeouts, because any may have caused the question', async () => {
  const { call, ask, turn, ended } = await asking();
  await call('a', 500);
  await call('b', 600);
  await ask();
  await turn(500);
  expect(ended).toEqual(['a: REQUEST_TIMEOUT']);
  // The last remaining request did not necessarily cause the question.
  await turn(100);
  expect(ended).toEqual(['a: REQUEST_TIMEOUT', 'b: REQUEST_TIMEOUT']);
});

test('when the others have been answered, the last one counts as the cause', async () => {
  const { call, ask, turn, calls, ended } = await asking();
  await call('a', 500);
  await call('b', 500);
  await ask();
  calls.get('a')!.answer();
  await turnsUntil(() => ended.length === 1);
  await turn(60_000);
  expect(ended).toEqual(['a: answered']);
});

test('a cancelled question suspends no timeout, however long its handler runs', async () => {
  const { call, ask, server, turn, ended } = await asking();
  await call('a', 500);
  await ask();
  await server.notify('notifications/cancelled', { requestId: 1 });
  await turnsUntil(() => true);
  await turn(500);
  expect(ended).toEqual(['a: REQUEST_TIMEOUT']);
});

test('a request of the other end that is not a question suspends no timeout', async () => {
  const { call, ask, turn, ended } = await asking();
  await call('a', 500);
  await ask('work');
  await turn(500);
  expect(ended).toEqual(['a: REQUEST_TIMEOUT']);
});

test('a question times out although the request that causes it is still running', async () => {
  const { call, server, turn } = await asking();
  await call('a', 1e9);
  const asked = server.request('work', {}, { timeoutMs: 500 }).catch((error) => error.code);
  await turnsUntil(() => true);
  await turn(500);
  expect(await asked).toBe('REQUEST_TIMEOUT');
});
