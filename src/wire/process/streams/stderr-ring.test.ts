import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StderrRing } from './stderr-ring.ts';

test('keeps the newest bytes, and counts all', () => {
  const ring = new StderrRing(8);
  ring.append(Buffer.from('abcdef'));
  ring.append(Buffer.from('ghij'));
  expect(ring.tail()).toBe('cdefghij');
  expect([ring.totalBytes, ring.droppedBytes]).toEqual([10, 2]);
});

test('keeps the end of a chunk larger than the ring', () => {
  const ring = new StderrRing(4);
  ring.append(Buffer.from('xy'));
  ring.append(Buffer.from('0123456789'));
  expect(ring.tail()).toBe('6789');
});

test('cuts the tail to the requested length', () => {
  const ring = new StderrRing();
  ring.append(Buffer.from('a'.repeat(10_000)));
  expect(ring.tail()).toHaveLength(4096);
  expect(ring.tail(10)).toBe('aaaaaaaaaa');
  expect(ring.tail(0)).toBe('');
});

test('an empty ring has an empty tail', () => {
  expect(new StderrRing().tail()).toBe('');
});

test('omits a character that is cut at either end', () => {
  const ring = new StderrRing(5);
  ring.append(Buffer.from('😀😀'));
  expect(ring.tail()).toBe('😀');
  ring.append(Buffer.from('é').subarray(0, 1));
  expect(ring.tail()).toBe('😀');
});

test('marks bytes that are not UTF-8, and loses no others', () => {
  const ring = new StderrRing();
  ring.append(Buffer.from([0x80, 0x61, 0xff, 0x62]));
  expect(ring.tail()).toBe('\ufffda\ufffdb');
});

test('the tail is the end of the output for any chunks', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), fc.integer({ min: 0, max: 50 }), (chunks, capacity) => {
      const ring = new StderrRing(capacity);
      for (const chunk of chunks) ring.append(chunk.map((byte) => byte & 0x7f));
      const all = Buffer.concat(chunks.map((chunk) => chunk.map((byte) => byte & 0x7f))).toString('latin1');
      expect(ring.tail(1000)).toBe(capacity === 0 ? '' : all.slice(-capacity));
      expect(ring.totalBytes).toBe(all.length);
      expect(ring.droppedBytes).toBe(Math.max(0, all.length - capacity));
    }),
  );
});
