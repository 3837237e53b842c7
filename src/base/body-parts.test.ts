import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { BodyParts } from './part-list.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

test('joins several chunks, and returns a single chunk itself', () => {
  const body = new BodyParts(6);
  expect(body.whole()).toHaveLength(0);
  const first = Buffer.from('abc');
  expect(body.add(first)).toBe(true);
  expect(body.whole()).toBe(first);
  expect(body.add(Buffer.from('def'))).toBe(true);
  expect(Buffer.from(body.whole()).toString()).toBe('abcdef');
  expect([body.add(Buffer.from('g')), body.bytes]).toEqual([false, 7]);
});

test('chunks of one byte use little more memory than their bytes', () => {
  const count = 200_000;
  const body = new BodyParts(count);
  collect();
  const before = process.memoryUsage();
  for (let sent = 0; sent < count; sent++) body.add(Buffer.from('x'));
  collect();
  const after = process.memoryUsage();
  expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(10 * count);
  expect(body.whole()).toHaveLength(count);
});
