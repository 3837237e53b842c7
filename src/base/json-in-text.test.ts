import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ValueBudget } from './count-json-values.ts';
import { jsonObjects } from './top-level-json.ts';

const found = (text: string) => [...jsonObjects(text)].map(({ value }) => value);

test('finds complete objects between other text', () => {
  expect(found('see {this} or {"a":1}, and ```json\n{"b": "}{"}\n``` {broken')).toEqual([{ a: 1 }, { b: '}{' }]);
  expect(found('{{"a":1}}')).toEqual([{ a: 1 }]);
  expect(found('a quote " before {"a":1}')).toEqual([{ a: 1 }]);
  expect(found('nothing')).toEqual([]);
});

test('finds every object in prose with its position', () => {
  const prose = fc.string().filter((text) => !/[{}"]/.test(text));
  fc.assert(
    fc.property(fc.array(fc.tuple(prose, fc.dictionary(fc.string(), fc.jsonValue())), { maxLength: 8 }), (pieces) => {
      const text = pieces.map(([before, object]) => before + JSON.stringify(object)).join('');
      expect(found(text)).toEqual(pieces.map(([, object]) => JSON.parse(JSON.stringify(object))));
      for (const { value, start, end } of jsonObjects(text)) expect(JSON.parse(text.slice(start, end))).toEqual(value);
    }),
    { numRuns: 300 },
  );
});

test('stops at a million open braces, which would take hours to try', () => {
  expect(found('{"a":'.repeat(200_000))).toEqual([]);
  expect(found('{ " '.repeat(250_000))).toEqual([]);
});

test.each(['', '"', 'quote " {', '{"a": "', '"{"a":1}'])(
  'counts each object that it parses against the budget, after %j',
  (before) => {
    const text = `${before}{"a":[1,2]} {"b":[1,2,3]} {"c":1}`;
    const excess: string[] = [];
    const found = [...jsonObjects(text, new ValueBudget(8), (start) => excess.push(text.slice(start)))];
    expect(found.at(-1)?.value).toEqual({ a: [1, 2] });
    expect(excess).toEqual(['{"b":[1,2,3]} {"c":1}']);
  },
);

test('counts objects that were tried and failed to parse', () => {
  const tries = vi.spyOn(JSON, 'parse');
  onTestFinished(() => tries.mockRestore());
  const broken = `${'{"a":'.repeat(1000)}!${'}'.repeat(1000)}`;
  expect([...jsonObjects(broken, new ValueBudget(10_000))]).toEqual([]);
  expect(tries.mock.calls.length).toBeLessThan(11);
});
