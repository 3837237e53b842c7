import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { TurnReader } from './turn-reader.ts';

const until = async (holds: () => boolean) => {
  while (!holds()) await round();
};
const round = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A stream whose bytes each take `msPerByte` to process, with the chunks processed in each round of the event loop. */
function reading(clock: ManualClock, msPerByte: number) {
  const input = new PassThrough({ highWaterMark: 4 * 1024 * 1024 });
  const pieces: Buffer[] = [];
  const read = (chunk: Buffer) => {
    pieces.push(chunk);
    clock.advance(chunk.length * msPerByte);
  };
  const sink = { frame: () => undefined, fault: () => undefined };
  let reader!: TurnReader;
  const ended = new Promise<void>((resolve) => {
    reader = new TurnReader(input, clock, {
      decoder: { push: (chunk) => read(chunk as Buffer) },
      sink,
      onEnd: resolve,
    });
  });
  const readBytes = () => pieces.reduce((sum, { length }) => sum + length, 0);
  return { input, pieces, reader, readBytes, ended };
}

test('reads slow chunks in many turns, and another stream between them', async () => {
  const clock = new ManualClock();
  const flood = reading(clock, 0.001);
  const neighbour = reading(clock, 0);
  const chunkBytes = 64 * 1024;
  flood.input.write(Buffer.alloc(chunkBytes)); // read at once: its speed is unknown
  flood.input.write(Buffer.alloc(chunkBytes));
  await until(() => flood.readBytes() > chunkBytes);
  const perRound: number[] = [];
  for (let before = flood.readBytes(); before < 2 * chunkBytes; before = flood.readBytes()) {
    if (perRound.length === 3) neighbour.input.write('hello');
    await round();
    perRound.push(flood.readBytes() - before);
    if (perRound.length === 5) expect(neighbour.readBytes()).toBe(5);
  }
  expect(perRound.length).toBeGreaterThan(32);
  expect(Math.max(...perRound)).toBeLessThanOrEqual(2 * 512); // at most two turns, each with a piece of the smallest size
  flood.input.destroy();
  neighbour.input.destroy();
});

test('passes a short chunk on at once, however long the previous one took', async () => {
  const clock = new ManualClock();
  const neighbour = reading(clock, 0); // readers share turns
  const { input, readBytes } = reading(clock, 1);
  await round();
  input.write('a request');
  input.write('and a notification');
  expect(readBytes()).toBe('a request'.length + 'and a notification'.length);
  input.destroy();
  neighbour.input.destroy();
});

test('passes fast chunks on unchanged, up to 256 KB a turn', async () => {
  const { input, pieces, readBytes } = reading(new ManualClock(), 0);
  for (let nth = 0; nth < 32; nth++) input.write(Buffer.alloc(64 * 1024));
  const perTurn: number[] = [];
  for (let before = 0; readBytes() < 2048 * 1024; before = readBytes()) {
    await round();
    perTurn.push(readBytes() - before);
  }
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(2 * 256 * 1024);
  expect(pieces.at(-1)).toHaveLength(64 * 1024);
  input.destroy();
});

test('passes every byte on once and in order for any speed, and the end after the last byte', async () => {
  const neighbour = reading(new ManualClock(), 0); // readers share turns
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 3000 }), { minLength: 1, maxLength: 8 }),
      fc.double({ min: 0, max: 0.01, noNaN: true }),
      fc.boolean(),
      async (chunks, msPerByte, isResumedByOthers) => {
        const { input, pieces, reader, ended } = reading(new ManualClock(), msPerByte);
        for (const chunk of chunks) {
          input.write(chunk);
          if (isResumedByOthers) input.resume();
          await round();
        }
        input.end();
        input.read(0); // as a socket does: `end` is then emitted although the stream is paused
        await ended;
        expect(reader.hasRest).toBe(false);
        expect(Buffer.concat(pieces)).toEqual(Buffer.concat(chunks));
      },
    ),
    { numRuns: 50 },
  );
  neighbour.input.destroy();
});

test('passes nothing on while it is held, not even the rest of a chunk', async () => {
  const clock = new ManualClock();
  const { input, reader, readBytes } = reading(clock, 0.001);
  const neighbour = reading(clock, 0);
  input.write(Buffer.alloc(64 * 1024)); // read at once: its speed is unknown
  input.write(Buffer.alloc(64 * 1024));
  await until(() => readBytes() > 64 * 1024);
  const before = readBytes();
  reader.hold();
  for (let nth = 0; nth < 10; nth++) await round();
  expect(readBytes()).toBe(before);
  expect(reader.hasRest).toBe(true);
  reader.release();
  await until(() => readBytes() === 2 * 64 * 1024);
  expect(reader.hasRest).toBe(false);
  input.destroy();
  neighbour.input.destroy();
});

test('passes nothing on after a stop, and lets the stream run to its end', async () => {
  const { input, reader, readBytes, ended } = reading(new ManualClock(), 0.01);
  input.write(Buffer.alloc(64 * 1024));
  input.write(Buffer.alloc(64 * 1024));
  await until(() => readBytes() > 0);
  const before = readBytes();
  reader.hold();
  reader.stop();
  input.end(Buffer.alloc(1000));
  await ended;
  expect(readBytes()).toBe(before);
});
