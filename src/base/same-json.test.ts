import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.ts';
import { sameJson } from './same-json.ts';

test('agrees with the canonical text', () => {
  const values = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(values, values, (one, other) => {
      expect(sameJson(one, other)).toBe(canonicalJson(one) === canonicalJson(other));
      expect(sameJson(one, JSON.parse(JSON.stringify(one)))).toBe(true);
    }),
  );
});

test('ignores the order of members, and sees every member', () => {
  expect(sameJson({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
  expect(sameJson({ a: 1 }, { a: 1, b: 2 })).toBe(false);
  expect(sameJson({ a: undefined }, { b: undefined })).toBe(false);
  expect(sameJson([1], { 0: 1 })).toBe(false);
  expect(sameJson(null, {})).toBe(false);
});

test('compares a member named __proto__ like any other', () => {
  const parsed = (text: string) => JSON.parse(text);
  expect(sameJson(parsed('{"__proto__":{"a":1}}'), parsed('{"__proto__":{"a":1}}'))).toBe(true);
  expect(sameJson(parsed('{"__proto__":{"a":1}}'), parsed('{"__proto__":{"a":2}}'))).toBe(false);
  expect(sameJson(parsed('{"__proto__":{}}'), parsed('{"constructor":{}}'))).toBe(false);
  expect(sameJson(parsed('{"__proto__":{}}'), parsed('{"a":{}}'))).toBe(false);
  expect(sameJson(parsed('{"toString":{}}'), parsed('{"a":{}}'))).toBe(false);
});
