import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { stderrOutlet } from './stderr-outlet.ts';

const SERVERS = 12;

/** Servers that share one stderr stream. The stream accepts no data until `take` is called. */
function sharedBy(servers: number) {
  let take: () => void = () => undefined;
  const taken: string[] = [];
  const sink = new Writable({
    highWaterMark: 1,
    write(chunk, _encoding, done) {
      take = () => {
        take = () => undefined;
        taken.push(String(chunk));
        done();
      };
    },
  });
  const errors: Error[] = [];
  const outlets = Array.from({ length: servers }, () => {
    const outlet = stderrOutlet(sink, (error) => errors.push(error));
    const stderr = new PassThrough();
    outlet.connect(stderr);
    return { stderr, written: outlet.written! };
  });
  return { sink, taken, errors, outlets, take: () => take() };
}

test('servers that share a stream share its listeners, and each waits for it', async () => {
  const { sink, taken, outlets, take } = sharedBy(SERVERS);
  for (const [i, { stderr }] of outlets.entries()) stderr.write(`line ${i}\n`);
  await new Promise(setImmediate);
  expect([sink.listenerCount('error'), sink.listenerCount('drain')]).toEqual([1, 1]);
  expect(outlets.every(({ stderr }) => stderr.isPaused())).toBe(true);
  const drained = once(sink, 'drain');
  while (sink.writableLength > 0) {
    take();
    await new Promise(setImmediate);
  }
  await drained;
  expect(taken).toHaveLength(SERVERS);
  expect(outlets.some(({ stderr }) => stderr.isPaused())).toBe(false);
});

test('leaves no listener when the last server has ended', async () => {
  const { sink, outlets, take } = sharedBy(SERVERS);
  for (const { stderr } of outlets) stderr.destroy();
  let isOver = false;
  void Promise.all(outlets.map(({ written }) => written)).then(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise(setImmediate);
    take();
  }
  expect([sink.listenerCount('error'), sink.listenerCount('drain')]).toEqual([0, 0]);
});

test('each server reports a failing stream, and none is blocked', async () => {
  const { sink, errors, outlets } = sharedBy(SERVERS);
  for (const { stderr } of outlets) stderr.write('line\n');
  sink.destroy(new Error('disk full'));
  await Promise.all(outlets.map(({ written }) => written));
  expect(errors.map(({ message }) => message)).toEqual(Array(SERVERS).fill('disk full'));
  expect(outlets.some(({ stderr }) => stderr.isPaused())).toBe(false);
});
