import fc from 'fast-check';
import { expect, test } from 'vitest';
import { topLevelTokens } from './top-level-json.ts';

test('reads only the outermost keys with plain values', () => {
  const tokens = topLevelTokens('\n {"a": 1, "b": {"id": 2, "c": [3, "}"]}, "id" : 4,"d":"x\\"y", "e":[5], "f":true}');
  expect([...tokens]).toEqual([
    ['a', '1'],
    ['id', '4'],
    ['d', '"x\\"y"'],
    ['f', 'true'],
  ]);
});

test('omits values that may have been cut off', () => {
  expect([...topLevelTokens('{"a":1,"id":12')]).toEqual([['a', '1']]);
  expect([...topLevelTokens('{"a":1,"id":"12')]).toEqual([['a', '1']]);
  expect([...topLevelTokens('[{"id":1}]')]).toEqual([]);
  expect([...topLevelTokens('')]).toEqual([]);
});

test('agrees with JSON.parse on every object of plain values', () => {
  const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
  const value = fc.oneof(scalar, fc.array(scalar), fc.dictionary(fc.string(), scalar));
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), value), fc.boolean(), (object, pretty) => {
      const tokens = topLevelTokens(JSON.stringify(object, null, pretty ? 2 : 0));
      const plain = Object.entries(object).filter(([, entry]) => typeof entry !== 'object' || entry === null);
      expect([...tokens].map(([key, token]) => [key, JSON.parse(token)])).toEqual(plain);
    }),
    { numRuns: 200 },
  );
});

test('accepts twenty million characters in one string', () => {
  expect(topLevelTokens(`{"data":"${'\\n'.repeat(10_000_000)}","id":5,`).get('id')).toBe('5');
});

test('with wanted keys, skips other keys, and finds wanted keys in any escaped form', () => {
  const many = Array.from({ length: 1000 }, (_, at) => `"key ${at}":${at}`).join();
  const nested: string[] = [];
  const text = `{${many},"\\u0069d":7,"result":{},"other":[],"id2":8}`;
  const tokens = topLevelTokens(text, new Set(['id', 'result']), (key) => nested.push(key));
  expect([...tokens]).toEqual([['id', '7']]);
  expect(nested).toEqual(['result']);
});
