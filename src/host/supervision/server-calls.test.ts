// Calls to a server that accepts no input: each waits for its own limit, and the exit of the process ends all waits.

import { expect, test } from 'vitest';
import { ManualClock, systemClock } from '../../base/clock.ts';
import { PeerError } from '../../base/errors.ts';
import { Link } from './link.ts';
import { ServerCalls } from './server-calls.ts';

const named = { name: 'one', reason: () => 'start requested', timedOut: () => undefined, doubted: async () => true };
const turn = () => new Promise((resolve) => setImmediate(resolve));

function opened(generation: number): Link<string> {
  const server = {
    client: `process ${generation}`,
    revision: undefined,
    serverInfo: undefined,
    onLost: () => undefined,
    isResponsive: async () => true,
    evidence: () => undefined,
    close: async () => undefined,
  };
  return new Link(server, generation);
}

test('each call waits separately for the end of the process', async () => {
  const clock = new ManualClock();
  const [first, second] = [opened(1), opened(2)];
  const calls = new ServerCalls<string>({ ...named, clock, whenReady: async () => second });
  calls.link = first;
  const sent: string[] = [];
  const call = (name: string) =>
    calls.use(async (client) => {
      sent.push(`${name} to ${client}`);
      if (client === 'process 1') throw new PeerError('NOT_SENT', 'the pipe is closed');
      return name;
    });
  const a = call('a');
  await turn();
  clock.advance(2000);
  const b = call('b');
  await turn();
  clock.advance(1500); // the limit of a has passed, that of b has not
  expect(await a).toBe('a');
  await turn();
  expect(sent).toEqual(['a to process 1', 'b to process 1', 'a to process 2']);
  first.over.resolve();
  expect(await b).toBe('b');
  expect(clock.pending).toBe(0);
});

test('a call that its caller cancelled is not an error of the server', async () => {
  const link = opened(1);
  const calls = new ServerCalls<string>({
    ...named,
    clock: new ManualClock(),
    whenReady: async () => link,
  });
  calls.link = link;
  const stop = new AbortController();
  const given = calls.use(
    () => new Promise((_, reject) => stop.signal.addEventListener('abort', () => reject(stop.signal.reason))),
    { signal: stop.signal },
  );
  stop.abort();
  await expect(given).rejects.toBe(stop.signal.reason);
  await expect(calls.use(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect([calls.calls, calls.errors, calls.lastError]).toEqual([2, 1, 'broken']);
});

test('a call with its own limit waits no longer than that for a server that is not ready, and the error has the reason', async () => {
  const clock = new ManualClock();
  const whenReady = () => new Promise<Link<string>>(() => undefined);
  const calls = new ServerCalls<string>({ ...named, clock, whenReady });
  const call = calls.use(async (client) => client, { waitMs: 2_000 });
  clock.advance(2_000);
  const code = 'REQUEST_TIMEOUT';
  await expect(call).rejects.toMatchObject({
    code,
    message: 'Server "one" was not ready within 2000 ms: start requested',
  });
  const away = new ServerCalls<string>({ ...named, clock, whenReady, whyAway: () => 'NATS is gone' });
  away.link = opened(1);
  const late = away.use(async () => Promise.reject(new PeerError(code, 'tools/list was not answered within 5 ms')));
  await expect(late).rejects.toMatchObject({
    code,
    message: 'tools/list was not answered within 5 ms: NATS is gone',
  });
  expect(away.errors).toBe(1);
});

test('a call without a limit waits for a server that is not ready', async () => {
  const whenReady = () => new Promise<Link<string>>((resolve) => systemClock.after(20, () => resolve(opened(1))));
  const calls = new ServerCalls<string>({ ...named, clock: systemClock, whenReady });
  expect(await calls.use(async (client) => client, { waitMs: Number.POSITIVE_INFINITY })).toBe('process 1');
});
