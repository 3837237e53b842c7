// Streams for property tests, and their number. A stream is a list of numbers read as instructions: which piece comes
// next (the codec's delimiters, headers and near misses, whole frames, runs as long as the limit, raw bytes) and how
// long it is. Millions of such lists can be generated quickly, and they shrink to short ones.

import fc from 'fast-check';
import type { Framing } from './framing.ts';

interface Profile {
  streams: number;
  roundTrips: number;
  largeStreams: number;
}

const profiles: Record<string, Profile> = {
  fast: { streams: 400, roundTrips: 100, largeStreams: 12 },
  deep: { streams: 130_000, roundTrips: 20_000, largeStreams: 1500 },
};

export const profileName = process.env.FC_PROFILE ?? 'fast';
export const profile: Profile = profiles[profileName] ?? fail(`FC_PROFILE must be one of ${Object.keys(profiles)}`);

export interface Stream {
  bytes: Uint8Array;
  maxFrameBytes: number;
  /** Chunk lengths, repeated until the whole stream is cut. */
  cuts: number[];
}

/** The building blocks of a framing's streams. */
export interface Ingredients {
  framing: Framing;
  /** Delimiters, headers and near misses, as latin1 text. */
  pieces: readonly string[];
  /** The limit, for a framing that allows only one. */
  maxFrameBytes?: number;
}

const smallLimits = [1, 2, 3, 4, 5, 7, 8, 13, 16, 33, 64, 300, 1023, 1500];
const smallCuts = [1, 1, 1, 2, 2, 3, 4, 5, 7, 8, 9, 13, 16, 31, 64, 100, 999, 4096, 10_000];
const largeLimits = [5000, 20_000, 70_000, 200_000];
const largeCuts = [1, 700, 4095, 4096, 9000, 65_536];
const instruction = fc.nat(0x3fff_ffff);

/** Small streams near the edges: limits of a few bytes, and all pieces close to each other. */
export const smallStreams = (ingredients: Ingredients) => streams(ingredients, smallLimits, smallCuts, 24);

/** Streams large enough that whole chunks are held by reference, blocks fill up and prefixes are full. */
export const largeStreams = (ingredients: Ingredients) => streams(ingredients, largeLimits, largeCuts, 16);

function streams(
  ingredients: Ingredients,
  limits: readonly number[],
  cutLengths: readonly number[],
  mostPieces: number,
): fc.Arbitrary<Stream> {
  const instructions = fc.array(instruction, { maxLength: mostPieces, size: 'max' });
  const limit = fc.nat(limits.length - 1).map((i) => ingredients.maxFrameBytes ?? limits[i]!);
  return fc.tuple(instructions, limit, cuts(cutLengths, 6)).map(([instructions, maxFrameBytes, cuts]) => ({
    bytes: assemble(ingredients, instructions, maxFrameBytes),
    maxFrameBytes,
    cuts,
  }));
}

function cuts(lengths: readonly number[], maxLength: number): fc.Arbitrary<number[]> {
  return fc
    .array(fc.nat(lengths.length - 1), { minLength: 1, maxLength, size: 'max' })
    .map((choices) => choices.map((i) => lengths[i]!));
}

/** Each chunk has a separate buffer, like chunks from a pipe. */
export function* chunksOf({ bytes, cuts }: Pick<Stream, 'bytes' | 'cuts'>): Generator<Uint8Array> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const to = Math.min(bytes.length, at + cuts[i % cuts.length]!);
    yield new Uint8Array(bytes.subarray(at, to));
    at = to;
  }
}

function assemble({ framing, pieces }: Ingredients, instructions: number[], max: number): Uint8Array {
  const kinds = 2 * pieces.length; // the last cases are all whole frames
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
        case 2: // within 4 bytes of the limit
          return Buffer.alloc(Math.max(0, max - 3 + (value % 8)), 'xyz');
        case 3:
          return encoded(framing, Buffer.alloc(Math.max(0, max - 1 + (value % 3)), 'ab'));
        case 4: // a whole frame, cut off at an arbitrary byte
          return encoded(framing, Buffer.alloc(value % 40, '{}')).subarray(0, (value >> 8) % 64);
        case 5:
          return Buffer.alloc(value % (3 * max), pieces[(value >> 12) % pieces.length] || 'x', 'latin1');
        default:
          return encoded(framing, Buffer.from(JSON.stringify({ id: value })));
      }
    }),
  );
}

/** Returns a payload that this framing cannot carry unencoded. */
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
