import { expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

test('writes the example of RFC 8785', () => {
  const value = JSON.parse(
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
  );
  expect(canonicalJson(value)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
});

test('sorts members by UTF-16 code units', () => {
  const value = JSON.parse('{"\\u20ac":1,"\\r":2,"\\ufb33":3,"1":4,"\\ud83d\\ude00":5,"\\u0080":6,"\\u00f6":7}');
  expect(Object.values(JSON.parse(canonicalJson(value)) as object)).toHaveLength(7);
  expect([...canonicalJson(value).matchAll(/:(\d)/g)].map(([, number]) => number).join('')).toBe('2467153');
});

test('leaves out absent members, and keeps one named __proto__', () => {
  expect(canonicalJson({ b: undefined, a: JSON.parse('{"__proto__":1}') })).toBe('{"a":{"__proto__":1}}');
});
