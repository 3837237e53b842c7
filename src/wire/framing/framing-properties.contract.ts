// Properties of every framing and every stream. However the stream is cut, the decoder agrees with its naive
// counterpart, never throws, never holds more than its limit and never searches a byte twice. Encoded payloads decode
// to themselves.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { decodeAll, latin1 } from './events.contract.ts';
import { type FrameDecoder, type Framing, HELD_EXTRA_BYTES } from './framing.ts';
import type { NaiveDecoder } from './naive.contract.ts';
import {
  chunksOf,
  type Ingredients,
  largeStreams,
  profile,
  profileName,
  type Stream,
  smallStreams,
} from './streams.contract.ts';

export interface PropertyInputs extends Omit<Ingredients, 'framing'> {
  naive: NaiveDecoder;
}

const LONG_RUN_MS = 15 * 60_000;

export function framingProperties(framing: Framing, { naive, pieces, maxFrameBytes }: PropertyInputs): void {
  const counts = { streams: 0, largeStreams: 0, roundTrips: 0, decodings: 0 };
  const events: Record<string, number> = {};
  let startedMs = 0;
  const ingredients: Ingredients = { framing, pieces, maxFrameBytes };

  beforeAll(() => {
    startedMs = performance.now();
  });

  /** Decodes one stream three ways: in the given chunks, in single bytes, in one piece. */
  const check = (stream: Stream) => {
    const max = stream.maxFrameBytes;
    const expected = naive(latin1(stream.bytes), max);
    const ways = stream.bytes.length < 1000 ? [stream.cuts, [1], [Infinity]] : [stream.cuts, [Infinity]];
    for (const cuts of ways) {
      let largestChunk = 0;
      const withinBounds = (decoder: FrameDecoder, chunk: Uint8Array) => {
        largestChunk = Math.max(largestChunk, chunk.length);
        if (decoder.heldBytes > max + largestChunk + HELD_EXTRA_BYTES) expect.fail(`holds ${decoder.heldBytes} bytes`);
      };
      const chunks = searchedOnce(chunksOf({ bytes: stream.bytes, cuts }));
      expectSame(decodeAll(framing.decoder({ maxFrameBytes: max }), chunks, withinBounds), expected);
      counts.decodings++;
    }
    for (const event of expected) {
      const kind = 'frame' in event ? 'frames' : event.fault;
      events[kind] = (events[kind] ?? 0) + 1;
    }
  };

  it('agrees with its naive twin on any stream, however it is cut, within its bounds', { timeout: LONG_RUN_MS }, () => {
    const property = fc.property(smallStreams(ingredients), (stream) => {
      counts.streams++;
      check(stream);
    });
    fc.assert(property, { numRuns: profile.streams });
  });

  it('agrees with its naive twin on large streams', { timeout: LONG_RUN_MS }, () => {
    const property = fc.property(largeStreams(ingredients), (stream) => {
      counts.largeStreams++;
      check(stream);
    });
    fc.assert(property, { numRuns: profile.largeStreams });
  });

  it('decodes what it encoded, and refuses to encode the rest', { timeout: LONG_RUN_MS }, () => {
    const payload = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => Buffer.from(text)),
      fc
        .array(fc.constantFrom('\n', '\r', ' ', 'a', '\ufeff', '0'), { maxLength: 8 })
        .map((all) => Buffer.from(all.join(''))),
      fc.json().map((json) => Buffer.from(json)),
    );
    const property = fc.property(
      fc.array(payload, { maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
      (payloads, cuts) => {
        counts.roundTrips++;
        const carried = payloads.filter((payload) => canCarry(framing, payload));
        const bytes = new Uint8Array(Buffer.concat(carried.map((payload) => framing.encode(payload))));
        const frames = decodeAll(framing.decoder(), chunksOf({ bytes, cuts })).map(
          (event) => 'frame' in event && event.frame,
        );
        expectSame(frames, carried.map(latin1));
      },
    );
    fc.assert(property, { numRuns: profile.roundTrips });
  });

  afterAll(() => {
    if (profileName === 'fast') return;
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    process.stdout.write(
      `${profileName} ${framing.name}: ${JSON.stringify({ ...counts, ...events })} in ${seconds} s\n`,
    );
  });
}

/** Only a UsageError counts as a refusal. */
function canCarry(framing: Framing, payload: Uint8Array): boolean {
  try {
    framing.encode(payload);
    return true;
  } catch (thrown) {
    expect(thrown).toMatchObject({ name: 'UsageError' });
    return false;
  }
}

/** Compares as text first: `toEqual` walks every event, and there are millions. */
function expectSame(actual: unknown[], expected: unknown[]): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) expect(actual).toEqual(expected);
}

/** Chunks that fail the test if one of their bytes is searched a second time. */
function* searchedOnce(chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
  for (const chunk of chunks) {
    let searchedTo = 0;
    chunk.indexOf = (byte: number, from = 0) => {
      if (from < searchedTo) expect.fail(`searches again from ${from}, after ${searchedTo}`);
      const found = Uint8Array.prototype.indexOf.call(chunk, byte, from);
      searchedTo = found < 0 ? chunk.length : found + 1;
      return found;
    };
    yield chunk;
  }
}
