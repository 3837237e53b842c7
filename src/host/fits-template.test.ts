import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UriTemplate } from '../mcp/uri-template.ts';
import { fitsTemplate } from './fits-template.ts';

test('a URI fits a template exactly if the template has values for it', () => {
  const piece = fc.constantFrom(
    'a',
    'b://',
    '/',
    ',',
    '.',
    '#',
    '?',
    '&',
    ';',
    'x=',
    '{x}',
    '{x,y}',
    '{+x}',
    '{#x,y}',
    '{/x}',
  );
  const rarer = fc.constantFrom('{.x}', '{?x,y}', '{&x}', '{;x}', '{/x*}', '{x*}', '{', '}', '{}', '{+x,y}');
  const template = fc.array(fc.oneof(piece, rarer), { maxLength: 6 }).map((pieces) => pieces.join(''));
  const uri = fc.array(fc.constantFrom('a', 'b://', '/', ',', '.', '#', '?', '&', ';', 'x=', 'y='), { maxLength: 10 });
  fc.assert(
    fc.property(template, uri, (template, parts) => {
      const text = parts.join('');
      expect(fitsTemplate(text, template)).toBe(new UriTemplate(template).match(text) !== undefined);
    }),
    { numRuns: 5000 },
  );
});

test('a template that could be parted in any number of ways is decided all the same', () => {
  const template = `a://${'{+x}{y}{/z*}'.repeat(30)}!`;
  expect(fitsTemplate(`a://${'b/'.repeat(400)}`, template)).toBe(false);
  expect(fitsTemplate(`a://${'b/'.repeat(400)}!`, template)).toBe(true);
});

test('a template or a URI that is too long does not fit', () => {
  expect(fitsTemplate('a', `a${'{?x}'.repeat(300)}`)).toBe(false);
  expect(fitsTemplate('a'.repeat(1025), '{x}')).toBe(false);
});
