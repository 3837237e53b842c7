import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { watchHost } from './own-stdio.ts';

const LOOK_MS = 500;

function watched() {
  const clock = new ManualClock();
  const input = new PassThrough().resume();
  const parent = { pid: 100 };
  let timesGone = 0;
  const watch = watchHost(input, () => timesGone++, { clock, parentPid: () => parent.pid });
  return {
    clock,
    input,
    watch,
    parentDies: () => (parent.pid = 1),
    timesGone: () => timesGone,
    async inputEnds() {
      input.destroy();
      await once(input, 'close');
    },
  };
}

test('the end of the input alone is not the exit of the host', async () => {
  const { clock, inputEnds, timesGone } = watched();
  await inputEnds();
  clock.advance(100 * LOOK_MS);
  expect(timesGone()).toBe(0);
});

test('a parent that exited may only have launched the tap', () => {
  const { clock, parentDies, timesGone } = watched();
  parentDies();
  clock.advance(100 * LOOK_MS);
  expect(timesGone()).toBe(0);
});

test('when the input has ended and the output is not read, the host has exited: reported at once, and once', async () => {
  const { clock, inputEnds, watch, timesGone } = watched();
  watch.outputBroken();
  expect(timesGone()).toBe(0);
  await inputEnds();
  expect(timesGone()).toBe(1);
  watch.outputBroken();
  expect(timesGone()).toBe(1);
  expect(clock.pending).toBe(0);
});

test('when the input has ended and the parent exits, the next check detects it', async () => {
  const { clock, inputEnds, parentDies, timesGone } = watched();
  await inputEnds();
  parentDies();
  clock.advance(LOOK_MS);
  expect(timesGone()).toBe(1);
});

test('an orphan whose input is not read waits for its end for a limited time', () => {
  const { clock, input, parentDies, timesGone } = watched();
  input.pause();
  parentDies();
  clock.advance(9 * LOOK_MS);
  expect(timesGone()).toBe(0);
  clock.advance(LOOK_MS);
  expect(timesGone()).toBe(1);
});

test('a pause that ends restarts the count', () => {
  const { clock, input, parentDies, timesGone } = watched();
  input.pause();
  parentDies();
  clock.advance(9 * LOOK_MS);
  input.resume();
  clock.advance(LOOK_MS);
  input.pause();
  clock.advance(9 * LOOK_MS);
  expect(timesGone()).toBe(0);
});

test('after stop, no checks are made', async () => {
  const { clock, inputEnds, watch, timesGone } = watched();
  watch.stop();
  await inputEnds();
  watch.outputBroken();
  expect(timesGone()).toBe(0);
  expect(clock.pending).toBe(0);
});
