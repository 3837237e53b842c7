import { describe, expect, test } from 'vitest';
import { compareAnswers, pathText } from './compare.ts';
import { learnRules } from './learn-rules.ts';
import { parseRule, parseRules, RuleSet, rulesText, type VerifyRule } from './rules.ts';
import { areAlike, masked, type Shape } from './shapes.ts';

const same = (value: unknown) => value;
const plain = { toFirst: same, toSecond: same, between: same };
const rulesFor = (...rules: VerifyRule[]) => new RuleSet(rules).for('tools/call', 'now');

describe('texts with values that vary', () => {
  test.each([
    ['timestamp', 'at 2026-11-15T04:26:09.306Z.', 'at 2027-01-02T14:00:00+02:00.'],
    ['timestamp', 'at 2026-11-15 04:26:09 done', 'at 2027-01-02 14:00:00 done'],
    ['timestamp', 'at 8:46:38 PM', 'at 11:00:01 AM'],
    [
      'timestamp',
      'Thu Nov 19 2026 20:13:37 GMT+0000 (Coordinated Universal Time)',
      'Fri Nov 20 2026 01:02:03 GMT+0000 (UTC)',
    ],
    ['timestamp', 'Thu, 19 Nov 2026 20:13:37 GMT', 'Fri, 20 Nov 2026 01:02:03 GMT'],
    ['timestamp', 'Nov 19, 2026', 'Dec 1, 2027'],
    ['timestamp', '11/19/2026, 8:13:37 PM', '1/2/2027, 9:00:00 AM'],
    ['timestamp', 'epoch 1793000000', 'epoch 1793000999'],
    ['timestamp', 'epoch 1793000000123', 'epoch 1793000999456'],
    ['uuid', 'run 6f1c1e5e-8f59-4a9a-9f0e-0b6f0a7f3c11', 'run 7A1c1e5e-8f59-4a9a-9f0e-0b6f0a7f3c12'],
    ['duration', 'took 12 ms', 'took 1.5ms'],
    ['duration', 'took 3 seconds', 'took 4 seconds'],
    ['id', 'note-a1b2c3', 'note-d4e5f6'],
    ['id', 'Created abc123 for Ada', 'Created xyz789 for Ada'],
    ['number', 'pid 17', 'pid 4711'],
    ['order', 'b\na\nc', 'a\nb\nc'],
    ['text', 'anything', 'else'],
  ] as const)('%s: %j equals %j', (shape, one, other) => {
    expect(areAlike(one, other, new Set<Shape>())).toBe(false);
    expect(areAlike(one, other, new Set<Shape>([shape]))).toBe(true);
  });

  test.each([
    ['timestamp', 'Sunny in Oslo', 'Rainy in Oslo'],
    ['timestamp', '12 pieces', '13 pieces'],
    ['uuid', 'note-a1b2c3', 'note-d4e5f6'],
    ['duration', '12 pieces', '13 pieces'],
    ['id', 'Sunny in Oslo', 'Rainy in Oslo'],
    ['number', 'one', 'two'],
    ['order', 'a\nb', 'a\nc'],
  ] as const)('%s: %j differs from %j', (shape, one, other) => {
    expect(areAlike(one, other, new Set<Shape>([shape]))).toBe(false);
  });

  test('a long text that almost matches everywhere is masked to its end', () => {
    const all = new Set<Shape>(['uuid', 'timestamp', 'duration', 'id', 'number']);
    for (const text of ['1:'.repeat(200_000), 'a-'.repeat(200_000), '1'.repeat(400_000), 'Nov 1 '.repeat(70_000)]) {
      expect(masked(text, all).length).toBeLessThan(text.length * 6);
    }
  });
});

describe('rules', () => {
  test('are read from a text, and from the file that is written of them', () => {
    const rules = [
      parseRule('timestamp result.at'),
      parseRule('tools/call now: uuid result.content.*.text'),
      parseRule('resources/read file:///a: b: ignore **.size'),
    ];
    expect(rules).toEqual([
      { path: 'result.at', accept: 'timestamp' },
      { method: 'tools/call', target: 'now', path: 'result.content.*.text', accept: 'uuid' },
      { method: 'resources/read', target: 'file:///a: b', path: '**.size', accept: 'ignore' },
    ]);
    expect(parseRules(rulesText(rules), 'x')).toEqual(rules);
  });

  test('apply to their requests and paths only', () => {
    const [before, after] = [{ result: { at: 1, to: 1 } }, { result: { at: 2, to: 2 } }];
    const found = (...rules: string[]) =>
      compareAnswers(before, after, rulesFor(...rules.map(parseRule))).differences.map(({ path }) => pathText(path));
    expect(found('number result.at')).toEqual(['result.to']);
    expect(found('tools/call n*: number **.to')).toEqual(['result.at']);
    expect(found('tools/call other: number **')).toEqual(['result.at', 'result.to']);
    expect(found('number result.*')).toEqual([]);
    expect(found('ignore **')).toEqual([]);
  });
});

describe('comparison', () => {
  const paths = (before: unknown, after: unknown, ...rules: string[]) =>
    compareAnswers(before, after, rulesFor(...rules.map(parseRule))).differences.map(({ path }) => pathText(path));

  test('an inserted element does not make the others differ', () => {
    expect(paths(['a', 'b', 'c'], ['a', 'x', 'b', 'c'])).toEqual(['[1]']);
    expect(paths([1, 2, 3], [2, 3])).toEqual(['[0]']);
  });

  test('an element that changed in an unordered list is the only difference', () => {
    const list = (...names: string[]) => names.map((name) => ({ name }));
    expect(paths({ a: list('x', 'y', 'z') }, { a: list('z', 'other', 'x') }, 'order a')).toEqual(['a[1].name']);
  });

  test('JSON in a text is compared by structure, and its layout counts', () => {
    expect(paths({ t: '{"a":1,"b":2}' }, { t: '{ "a": 1, "b": 3 }' })).toEqual(['t.json().b']);
    expect(paths({ t: '{"a":1}' }, { t: '{ "a": 1 }' })).toEqual(['t']);
    expect(paths({ t: '{"a":1}' }, { t: '{ "a": 2 }' }, 'number t.json().a')).toEqual([]);
  });

  test('the merged answer has recorded values where a rule accepts the difference', () => {
    const rules = rulesFor(parseRule('number a'), parseRule('ignore c'));
    const { merged } = compareAnswers({ a: 1, b: 1, c: 1 }, { a: 2, b: 2, d: 2 }, rules);
    expect(merged).toEqual({ a: 1, b: 2, c: 1, d: 2 });
  });
});

describe('learning', () => {
  const learned = (recorded: unknown, first: unknown, second: unknown) =>
    learnRules({ method: 'm', target: undefined, recorded, first, second, translate: plain }, []).map(
      ({ path, accept }) => `${accept} ${path}`,
    );

  test('chooses the narrowest shape, also for texts with several', () => {
    expect(learned({ a: 1 }, { a: 2 }, { a: 3 })).toEqual(['number a']);
    expect(learned({ a: 'x' }, { a: 'y' }, { a: 'z' })).toEqual(['text a']);
    expect(learned({}, { a: 1 }, {})).toEqual(['ignore a']);
    const text = (id: string, at: string) => ({ t: `${id} at ${at}, ${id.length} seats` });
    expect(learned(text('note-a1', '10:00:00'), text('note-b2', '10:00:01'), text('note-c3', '10:00:02'))).toEqual([
      'timestamp t',
      'id t',
    ]);
  });

  test('does not accept what only the recording has, unless it is certain to vary', () => {
    expect(learned({ a: 1, t: 'old' }, { a: 2, t: 'new' }, { a: 2, t: 'new' })).toEqual([]);
    expect(learned({ d: '2026-11-15' }, { d: '2026-11-19' }, { d: '2026-11-19' })).toEqual(['timestamp d']);
    expect(learned({ l: [1, 2] }, { l: [2, 1] }, { l: [2, 1] })).toEqual(['order l']);
  });
});
