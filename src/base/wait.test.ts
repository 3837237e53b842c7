import { expect, test } from 'vitest';
import { ManualClock } from './clock.ts';
import { SILENT, unlessAborted, within } from './wait.ts';

test('a limited wait ends with the event, and leaves no timer', async () => {
  const clock = new ManualClock();
  expect(await within(clock, 100, Promise.resolve(7))).toBe(7);
  expect(clock.pending).toBe(0);
});

test('a limited wait ends at its limit, and not before', async () => {
  const clock = new ManualClock();
  let over = false;
  const waited = within(clock, 100, new Promise(() => undefined)).then((value) => {
    over = true;
    return value;
  });
  clock.advance(99);
  await Promise.resolve();
  expect(over).toBe(false);
  clock.advance(1);
  expect(await waited).toBe(SILENT);
});

test('a wait ends with its signal, before or during the wait', async () => {
  const controller = new AbortController();
  const waited = unlessAborted(new Promise(() => undefined), controller.signal);
  controller.abort('enough');
  await expect(waited).rejects.toBe('enough');
  await expect(unlessAborted(Promise.resolve(1), controller.signal)).rejects.toBe('enough');
  expect(await unlessAborted(Promise.resolve(1), new AbortController().signal)).toBe(1);
});
