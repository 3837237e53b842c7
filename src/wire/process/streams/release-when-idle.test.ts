import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import { releaseWhenIdle } from './release-when-idle.ts';

const never = new Promise<void>(() => undefined);

test('keeps the data of a paused reader, however long the pause is', async () => {
  const clock = new ManualClock();
  const pipe = new PassThrough();
  pipe.pause();
  pipe.end('the last answer');
  releaseWhenIdle([pipe], never, clock);
  clock.advance(3_600_000);
  expect(pipe.destroyed).toBe(false);
  expect((await pipe.toArray()).join('')).toBe('the last answer');
});

test('releases an idle pipe that another process holds open', async () => {
  const clock = new ManualClock();
  const pipe = new PassThrough();
  pipe.resume();
  releaseWhenIdle([pipe], never, clock);
  clock.advance(1_500);
  await once(pipe, 'close');
  expect(clock.pending).toBe(0);
});

test.each([
  ['slowly', 10],
  ['without end', 1024 * 1024],
])('stops reading a detached process that writes %s', async (_, bytes) => {
  const clock = new ManualClock();
  const pipe = Object.assign(new PassThrough(), { bytesRead: 0 });
  // Reads as fast as it arrives, or never: a flood always has unread data.
  if (bytes < 1024) pipe.resume();
  else pipe.pause();
  releaseWhenIdle([pipe], never, clock);
  for (let look = 0; look < 12 && !pipe.destroyed; look++) {
    pipe.bytesRead += bytes;
    pipe.write('x');
    await new Promise(setImmediate);
    clock.advance(500);
  }
  expect(pipe.destroyed).toBe(true);
});
