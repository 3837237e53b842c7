import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTemplate, references, render } from './variables.ts';

const values: Record<string, string> = { A: 'one', B: '', 'env:A': 'env one', 'input:id': 'answer', '/': '/' };

function expand(text: string): string {
  const { template, fault } = parseTemplate(text);
  if (fault) return `fault: ${fault}`;
  const missing: string[] = [];
  const expanded = render(
    template,
    ({ expression }) => values[expression],
    ({ expression }) => missing.push(expression),
  );
  return missing.length > 0 ? `missing: ${missing.join(' ')}` : expanded;
}

test.each([
  ['no variable', 'plain', 'plain'],
  ['nothing', '', ''],
  ['a variable', '${A}', 'one'],
  ['a variable within text', 'x-${A}-y${A}', 'x-one-yone'],
  ['a scope', '${env:A} ${input:id}', 'env one answer'],
  ['a name with a special character', 'a${/}b', 'a/b'],
  ['an empty value', '[${B}]', '[]'],
  ['a default that is not needed', '${A:-two}', 'one'],
  ['a default for an unset variable', '${C:-two}', 'two'],
  ['a default for an empty variable, as in a shell', '${B:-two}', 'two'],
  ['an empty default', '[${C:-}]', '[]'],
  ['a default with a scope', '${env:C:-two}', 'two'],
  ['a default with a URL in it', '${C:-http://localhost:80/x}', 'http://localhost:80/x'],
  ['a default with a variable in it', '${C:-${A}}', 'one'],
  ['three nested defaults', '${C:-${D:-${A}}!}', 'one!'],
  ['a default with balanced braces', '${C:-{"a":{}}}', '{"a":{}}'],
  ['text after a default', '${C:-x}}', 'x}'],
  ['an unset variable', '${C}', 'missing: C'],
  ['an unset variable, twice', '${C} ${D}', 'missing: C D'],
  ['an unset variable in a default', '${C:-${D}}', 'missing: D'],
  ['an unused default is not expanded', '${A:-${D}}', 'one'],
  ['an escape', '$${A}', '${A}'],
  ['an escape in a default', '${C:-$${A}}', '${A}'],
  ['a bare dollar', 'a$b $A $', 'a$b $A $'],
  ['two bare dollars', 'pa$$word', 'pa$$word'],
  ['a brace without a variable', '} {A} {', '} {A} {'],
  ['no closing brace', 'x${A', 'fault: "${" has no closing "}"'],
  ['no closing brace after a default', '${C:-two', 'fault: "${" has no closing "}"'],
  ['no name', '${}', 'fault: "${}" contains no name'],
  ['no name before a default', '${:-x}', 'fault: "${}" contains no name'],
  ['no name after a scope', '${env:}', 'fault: "${}" contains no name'],
  ['a brace in a name', '${a{b}', 'fault: this is not a valid variable name'],
])('%s: %s', (_, text, expanded) => {
  expect(expand(text)).toBe(expanded);
});

test('does not expand values again', () => {
  const { template } = parseTemplate('${X}');
  expect(
    render(
      template,
      () => '${A} $${B}',
      () => expect.fail(),
    ),
  ).toBe('${A} $${B}');
});

test('finds references in defaults too', () => {
  const found = references(parseTemplate('${A:-${input:b:-${C}}} ${D}').template);
  expect(found.map(({ expression }) => expression)).toEqual(['A', 'input:b', 'C', 'D']);
});

test('endlessly nested defaults are an error and do not end the process', () => {
  expect(expand('${A:-'.repeat(50_000))).toBe('fault: defaults are nested too deeply');
});

test('text without "${" is never changed', () => {
  const text = fc.string({ unit: fc.constantFrom('$', '{', '}', 'A', ':', '-', ' ', 'é') });
  const plain = text.filter((each) => !each.includes('${'));
  fc.assert(fc.property(plain, (each) => expand(each) === each));
});

test('any text can be escaped so that it stays unchanged', () => {
  const text = fc.string({ unit: fc.constantFrom('${', '{', '}', 'A', ':-') });
  fc.assert(fc.property(text, (each) => expand(each.replaceAll('${', () => '$${')) === each));
});
