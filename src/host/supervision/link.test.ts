// The end of a connection to a remote server: running calls may still be answered.

import { expect, test } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { Link } from './link.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function lost(isRemote: boolean) {
  const clock = new ManualClock();
  let closes = 0;
  const link = new Link(
    {
      client: 'client',
      revision: undefined,
      serverInfo: undefined,
      isRemote,
      onLost: () => undefined,
      isResponsive: async () => false,
      evidence: () => undefined,
      close: async () => void closes++,
    },
    1,
  );
  link.begun = 2;
  link.cause = new Error('refused');
  const ended = link.end(clock);
  return { clock, link, ended, closes: () => closes };
}

test('closing a lost remote server waits for running calls, whether they are answered or fail', async () => {
  const { link, ended, closes, clock } = lost(true);
  link.answered('one');
  await turn();
  expect(closes()).toBe(0);
  link.failed();
  await ended;
  expect([closes(), clock.pending]).toEqual([1, 0]);
});

test('the wait for running calls is limited, and ends when the server is stopped', async () => {
  const late = lost(true);
  late.clock.advance(5000);
  await late.ended;
  expect(late.closes()).toBe(1);
  const stopped = lost(true);
  stopped.link.cut();
  await stopped.ended;
  expect([stopped.closes(), stopped.clock.pending]).toEqual([1, 0]);
});

test('ends a process at once', async () => {
  const { ended, closes } = lost(false);
  await ended;
  expect(closes()).toBe(1);
});
