import { afterAll, expect, test } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import { openNetwork } from '../../src/host/fleet/nats/open-network.ts';
import { answerNodeRequests, askNode, type NodeHandlers } from '../../src/host/fleet/node/answer-node-requests.ts';
import { subjectsOf } from '../../src/host/fleet/subjects.ts';
import { startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { until } from '../fixtures/server.ts';

const nats = await startNatsServer();
const [asked, asking] = await Promise.all(
  ['asked', 'asking'].map((name) => openNetwork({ servers: [nats.url], fleet: 'test', name })),
);
afterAll(() => Promise.all([asked!.close(), asking!.close()]));

let held: (() => void)[] = [];
const handlers: Partial<NodeHandlers> = {
  'standpipe/ping': () => ({ session: 's', nowMs: 7 }),
  'standpipe/place': async ({ slot }) => ({ generation: slot }),
  'standpipe/release': () => {
    throw new UsageError('DUPLICATE_NAME', 'No such slot', { hint: 'Look again.' });
  },
  'standpipe/renew': () => new Promise((resolve) => held.push(() => resolve({}))),
  'standpipe/calls': ({ calls }) => ({ run: 'r', states: calls.map(() => 'unknown' as const) }),
  'standpipe/control': () => ({ text: 'x'.repeat(asked!.maxBytes) }) as never,
};
const subscription = answerNodeRequests(asked!, 'alpha', handlers as NodeHandlers);
await asked!.flush();
const MINUTE = 60_000;
const slot = { server: 's', slot: 3, generation: 1 };

test('a node answers with the result of the handler, or with the error that it threw', async () => {
  expect(await askNode(asking!, 'alpha', 'standpipe/ping', {}, MINUTE)).toEqual({ session: 's', nowMs: 7 });
  const place = askNode(asking!, 'alpha', 'standpipe/place', { server: 's', slot: 3, revision: 0 }, MINUTE);
  expect(await place).toEqual({ generation: 3 });
  const release = askNode(asking!, 'alpha', 'standpipe/release', { ...slot, reason: 'r' }, MINUTE);
  await expect(release).rejects.toMatchObject({ name: 'UsageError', code: 'DUPLICATE_NAME', hint: 'Look again.' });
  const control = askNode(
    asking!,
    'alpha',
    'standpipe/control',
    { method: 'standpipe/status', params: {} } as never,
    MINUTE,
  );
  await expect(control).rejects.toMatchObject({ code: 'FRAME_TOO_LONG' });
  await expect(askNode(asking!, 'beta', 'standpipe/ping', {}, MINUTE)).rejects.toMatchObject({ code: 'NOT_SENT' });
});

test('messages that are not requests of a node are refused or ignored', async () => {
  const subject = subjectsOf('test').node('alpha');
  const codeOf = async (value: unknown) => {
    const { error } = await asking!.request<{ error: { rpcCode: number } }>(subject, value, MINUTE);
    return error.rpcCode;
  };
  expect(await codeOf(7)).toBe(-32600);
  expect(await codeOf({ method: 'standpipe/ping' })).toBe(-32600);
  expect(await codeOf({ method: 'toString', params: {} })).toBe(-32601);
  asking!.publish(subject, 'garbage');
  const inbox = `${subjectsOf('test').inbox('asking')}.back`;
  const back = new Promise<string>((resolve) => {
    asking!.subscribe(inbox, ({ data }) => resolve(new TextDecoder().decode(data)));
  });
  asking!.publish(subject, 'garbage', inbox);
  expect(JSON.parse(await back).error.rpcCode).toBe(-32700);
  expect(await askNode(asking!, 'alpha', 'standpipe/ping', {}, MINUTE)).toBeDefined();
});

test('requests above the limit are refused, and later ones are answered', async () => {
  const outcomes = Array.from({ length: 1001 }, () => askNode(asking!, 'alpha', 'standpipe/renew', slot, MINUTE));
  await expect(Promise.race(outcomes)).rejects.toMatchObject({ code: 'SERVER_BUSY' });
  for (const release of held) release();
  held = [];
  const settled = await Promise.allSettled(outcomes);
  expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  expect(await askNode(asking!, 'alpha', 'standpipe/ping', {}, MINUTE)).toBeDefined();
  await subscription.end();
  await expect(askNode(asking!, 'alpha', 'standpipe/ping', {}, MINUTE)).rejects.toMatchObject({ code: 'NOT_SENT' });
});

test('a process does not answer requests after another one has taken its name', async () => {
  let isTaken = true;
  const answer = (session: string) =>
    ({ ...handlers, 'standpipe/ping': () => ({ session, nowMs: 7 }) }) as NodeHandlers;
  const first = answerNodeRequests(asked!, 'name', answer('first'), () => !isTaken);
  await asked!.flush();
  const second = answerNodeRequests(asking!, 'name', answer('second'));
  await asking!.flush();
  for (let i = 0; i < 20; i++)
    expect(await askNode(asking!, 'name', 'standpipe/ping', {}, MINUTE)).toMatchObject({ session: 'second' });
  isTaken = false;
  await second.end();
  expect(await askNode(asking!, 'name', 'standpipe/ping', {}, MINUTE)).toMatchObject({ session: 'first' });
  await first.end();
});

test('read-only requests have a separate limit', async () => {
  const pending: (() => void)[] = [];
  const slow: Partial<NodeHandlers> = {
    ...handlers,
    'standpipe/ping': () => new Promise((resolve) => pending.push(() => resolve({ session: 's', nowMs: 7 }))),
  };
  const both = answerNodeRequests(asked!, 'looked-at', slow as NodeHandlers);
  await asked!.flush();
  const looks = Array.from({ length: 1000 }, () => askNode(asking!, 'looked-at', 'standpipe/ping', {}, MINUTE));
  await until('all are pending', () => pending.length === 1000);
  await expect(askNode(asking!, 'looked-at', 'standpipe/ping', {}, MINUTE)).rejects.toThrow('1000 requests');
  const place = askNode(asking!, 'looked-at', 'standpipe/place', { server: 's', slot: 3, revision: 0 }, MINUTE);
  expect(await place).toEqual({ generation: 3 });
  for (const resolve of pending) resolve();
  await Promise.all(looks);
  await both.end();
});
