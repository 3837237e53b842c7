import { expect, test } from 'vitest';
import { atMost } from './at-most.ts';
import { ManualClock } from './clock.ts';

test('is over with the event, and leaves no timer', async () => {
  const clock = new ManualClock();
  await atMost(100, Promise.resolve(), clock);
  expect(clock.pending).toBe(0);
});

test('is over when the time is up, and not before', async () => {
  const clock = new ManualClock();
  let over = false;
  const waited = atMost(100, new Promise(() => undefined), clock).then(() => {
    over = true;
  });
  clock.advance(99);
  await Promise.resolve();
  expect(over).toBe(false);
  clock.advance(1);
  await waited;
});
