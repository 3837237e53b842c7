import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { lastOutput } from './last-output.ts';

test('unread data of a stream that is paused between turns delays the end, however slowly it is read', async () => {
  const clock = new ManualClock();
  const stream = new PassThrough();
  let over = false;
  stream.pause();
  stream.write('the last answer');
  void lastOutput(stream, clock, () => false).then(() => {
    over = true;
  });
  stream.pause();
  for (let look = 0; look < 100; look++) {
    clock.advance(50);
    await new Promise(setImmediate);
  }
  expect(over).toBe(false);
  stream.resume();
  for (let look = 0; look < 3; look++) {
    await new Promise(setImmediate);
    clock.advance(50);
  }
  await new Promise(setImmediate);
  expect(over).toBe(true);
});
