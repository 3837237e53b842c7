// Streams for property tests, and how many of them. A stream is a list of numbers read as instructions: which piece comes
// next (a codec's own delimiters, headers and near misses, whole frames, runs as long as the limit, raw bytes) and how
// long it is. Such a list is quick to make by the million, and shrinks to a short one.

import fc from 'fast-check';
import type { Framing } from './framing.ts';

interface Profile {
  streams: number;
  roundTrips: number;
  largeStreams: number;
}

const profiles: Record<string, Profile> = {
  fast: { streams: 1500, roundTrips: 300, largeStreams: 40 },
  deep: { streams: 150_000, roundTrips: 20_000, largeStreams: 1500 },
};

export const profileName = process.env.FC_PROFILE ?? 'fast';
export const profile: Profile = profiles[profileName] ?? fail(`FC_PROFILE is one of ${Object.keys(profiles)}`);

export interface Stream {
  bytes: Uint8Array;
  maxFrameBytes: number;
  /** Lengths of chunks, used again and again until the stream is cut up. */
  cuts: number[];
}

const limits = [1, 2, 3, 4, 5, 7, 8, 13, 16, 33, 64, 300, 1023, 1500];
const cutLengths = [1, 1, 1, 2, 2, 3, 4, 5, 7, 8, 9, 13, 16, 31, 64, 100, 999, 4096, 10_000];
const instruction = fc.nat(0x3fff_ffff);

/** Small and near the edges: limits of a few bytes, every piece within reach of every other. */
export function smallStreams(framing: Framing, pieces: readonly string[]): fc.Arbitrary<Stream> {
  return fc
    .tuple(fc.array(instruction, { maxLength: 24 }), fc.nat(limits.length - 1), cuts(cutLengths, 6))
    .map(([instructions, limit, cuts]) => {
      const maxFrameBytes = limits[limit]!;
      return { bytes: assemble(framing, pieces, instructions, maxFrameBytes), maxFrameBytes, cuts };
    });
}

/** Large enough for whole chunks to be held by reference, for blocks to fill, for prefixes to be full. */
export function largeStreams(framing: Framing, pieces: readonly string[]): fc.Arbitrary<Stream> {
  const limit = fc.constantFrom(5000, 20_000, 70_000, 200_000);
  return fc
    .tuple(fc.array(instruction, { maxLength: 16 }), limit, cuts([1, 700, 4095, 4096, 9000, 65_536], 5))
    .map(([instructions, maxFrameBytes, cuts]) => ({
      bytes: assemble(framing, pieces, instructions, maxFrameBytes),
      maxFrameBytes,
      cuts,
    }));
}

function cuts(lengths: readonly number[], maxLength: number): fc.Arbitrary<number[]> {
  return fc
    .array(fc.nat(lengths.length - 1), { minLength: 1, maxLength })
    .map((choices) => choices.map((i) => lengths[i]!));
}

/** Each chunk is a buffer of its own, as chunks from a pipe are. */
export function* chunksOf({ bytes, cuts }: Pick<Stream, 'bytes' | 'cuts'>): Generator<Uint8Array> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const to = Math.min(bytes.length, at + cuts[i % cuts.length]!);
    yield new Uint8Array(bytes.subarray(at, to));
    at = to;
  }
}

function assemble(framing: Framing, pieces: readonly string[], instructions: number[], max: number): Uint8Array {
  const kinds = pieces.length + 8;
  return Buffer.concat(
    instructions.map((n) => {
      const kind = n % kinds;
      const value = Math.floor(n / kinds);
      if (kind < pieces.length) return Buffer.from(pieces[kind]!, 'latin1');
      switch (kind - pieces.length) {
        case 0:
          return Buffer.of(value, value >> 8);
        case 1:
          return Buffer.alloc(value % 20, value >> 8);
        case 2: // about as long as the limit
          return Buffer.alloc(Math.max(0, max - 3 + (value % 8)), 'xyz');
        case 3:
          return encoded(framing, Buffer.alloc(Math.max(0, max - 1 + (value % 3)), 'ab'));
        case 4: // a whole frame, cut off somewhere
          return encoded(framing, Buffer.alloc(value % 40, '{}')).subarray(0, (value >> 8) % 64);
        case 5:
          return Buffer.alloc(value % (3 * max), pieces[(value >> 12) % pieces.length] || 'x', 'latin1');
        default:
          return encoded(framing, Buffer.from(JSON.stringify({ id: value })));
      }
    }),
  );
}

/** What this framing cannot carry goes in bare. */
function encoded(framing: Framing, payload: Uint8Array): Uint8Array {
  try {
    return framing.encode(payload);
  } catch {
    return payload;
  }
}

function fail(message: string): never {
  throw new Error(message);
}
