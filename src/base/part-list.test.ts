import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PartList } from './part-list.ts';

const nothing = new Uint8Array(0);
const wholeOf = (list: PartList) => list.join(list.length, nothing, 0, 0);

describe('part list', () => {
  it('holds a whole chunk by reference and copies it when it is joined', () => {
    const list = new PartList(100_000);
    const chunk = new Uint8Array(10_000).fill(1);
    list.append(chunk, 0, chunk.length);
    list.append(Uint8Array.of(2), 0, 1);
    chunk[0] = 9; // the list refers to the chunk, so the change is visible
    const joined = wholeOf(list);
    expect([joined[0], joined[1], joined[10_000], joined.length]).toEqual([9, 1, 2, 10_001]);
    expect(joined.buffer).not.toBe(chunk.buffer);
    expect(list.partCount).toBe(2);
  });

  it('returns a view if one part contains the requested range', () => {
    const list = new PartList(100_000);
    const chunk = new Uint8Array(10_000);
    list.append(chunk, 0, chunk.length);
    expect(list.join(9_999, Uint8Array.of(1), 0, 1).buffer).toBe(chunk.buffer);
    expect(new PartList(1).join(3, chunk, 5, 9)).toEqual(chunk.subarray(5, 8));
  });

  it('does not keep a large chunk in memory for a short end of it', () => {
    const list = new PartList(1_000_000);
    list.append(new Uint8Array(100_000), 80_000, 100_000);
    expect(list.heldBytes).toBe(20_000);
  });

  it('counts the whole buffer that a reference keeps in memory', () => {
    const list = new PartList(1_000_000);
    list.append(new Uint8Array(100_000), 10_000, 100_000);
    expect(list.heldBytes).toBe(100_000);
    list.append(new Uint8Array(100_000), 10_000, 100_000);
    expect(list.heldBytes).toBe(190_000);
  });

  it('copies from a pool, which is larger than any chunk', () => {
    const list = new PartList(1_000_000);
    const pool = new Uint8Array(1_000_000);
    list.append(pool.subarray(0, 8192), 0, 8192);
    expect(list.heldBytes).toBe(8192);
  });

  it('uses few blocks for eight million single bytes', () => {
    const bytes = 8 * 1024 * 1024;
    const list = new PartList(bytes);
    const byte = Uint8Array.of(7);
    for (let i = 0; i < bytes; i++) list.append(byte, 0, 1);
    expect(list.partCount).toBe(1);
    expect(list.heldBytes).toBe(bytes);
    expect(wholeOf(list).every((value) => value === 7)).toBe(true);
  });

  it.each([1, 3, 700, 1500])('never allocates beyond the limit for pieces of %i bytes', (bytes) => {
    const list = new PartList(5000);
    while (list.length + bytes <= 5000) {
      list.append(new Uint8Array(bytes), 0, bytes);
      expect(list.heldBytes).toBeLessThanOrEqual(5000);
    }
  });

  it('keeps no unused space in blocks before a large chunk', () => {
    const list = new PartList(100_000_000);
    for (let i = 0; i < 200; i++) {
      list.append(Uint8Array.of(1), 0, 1);
      list.append(new Uint8Array(4096), 0, 4096);
    }
    expect(list.heldBytes).toBe(list.length);
  });

  it('is empty and usable again after clear', () => {
    const list = new PartList(100);
    list.append(Uint8Array.of(1, 2), 0, 2);
    list.clear();
    expect([list.length, list.heldBytes, list.partCount]).toEqual([0, 0, 0]);
    list.append(Uint8Array.of(3), 0, 1);
    expect(wholeOf(list)).toEqual(Uint8Array.of(3));
  });

  it('joins to the appended bytes, and never holds more than the limit and one chunk', () => {
    const sizes = fc.constantFrom(1, 2, 100, 1023, 1024, 4095, 4096, 5000, 20_000, 70_000);
    const part = fc.tuple(sizes, fc.nat(3), fc.nat(3), fc.boolean());
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), fc.nat(200_000), fc.nat(10), (parts, spare, dropped) => {
        const chunks = parts.map(([size, from, cut, pooled], i) => {
          const chunk = pooled ? new Uint8Array(size * 2).subarray(0, size) : new Uint8Array(size);
          return {
            chunk: chunk.fill(i + 1),
            from: Math.min(from, size),
            to: Math.max(Math.min(from, size), size - cut),
          };
        });
        const expected = Buffer.concat(chunks.map(({ chunk, from, to }) => chunk.subarray(from, to)));
        const list = new PartList(expected.length + spare);
        const largest = Math.max(0, ...parts.map(([size]) => size));
        for (const { chunk, from, to } of chunks) {
          list.append(chunk, from, to);
          expect(list.heldBytes).toBeGreaterThanOrEqual(list.length);
          expect(list.heldBytes).toBeLessThanOrEqual(expected.length + spare + largest);
          expect(list.partCount).toBeLessThanOrEqual(8 + (2 * list.length) / 4096);
        }
        expect(list.length).toBe(expected.length);
        expect(expected.equals(wholeOf(list))).toBe(true);
        const tail = Uint8Array.of(1, 2, 3);
        const kept = Math.max(0, expected.length + 3 - dropped);
        expect(
          Buffer.concat([expected, tail])
            .subarray(0, kept)
            .equals(list.join(kept, tail, 0, 3)),
        ).toBe(true);
        const first = new Uint8Array(1024);
        const copied = list.copyTo(first);
        expect(expected.subarray(0, 1024).equals(first.subarray(0, copied))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
