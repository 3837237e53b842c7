import { expect, test } from 'vitest';
import { OutputHead } from './child-wire.ts';

test('keeps the first 8 KiB for any chunks, counts the rest, and keeps no chunk in memory', () => {
  const head = new OutputHead();
  expect([...head.bytes]).toEqual([]);
  const sent = Buffer.from(Array.from({ length: 10_000 }, (_, n) => n % 251));
  for (let at = 0; at < sent.length; at += 700) {
    const chunk = Buffer.from(sent.subarray(at, at + 700));
    head.add(chunk);
    chunk.fill(0); // the kept bytes are a copy
  }
  expect(head.total).toBe(10_000);
  expect(Buffer.compare(head.bytes, sent.subarray(0, 8192))).toBe(0);
});
