import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UriTemplate } from './uri-template.ts';

test.each([
  ['users://{id}', 'users://ada', { id: 'ada' }],
  ['users://{id}', 'users://a%20b', { id: 'a b' }],
  ['users://{id}', 'users://a/b', undefined],
  ['files://{+path}', 'files://a/b/c.txt', { path: 'a/b/c.txt' }],
  ['repo://{owner}/{name}/{+path}', 'repo://a/b/c/d', { owner: 'a', name: 'b', path: 'c/d' }],
  ['search://x{?q,page}', 'search://x?q=1&page=2', { q: '1', page: '2' }],
  ['search://x{?q,page}', 'search://x', {}],
  ['a://{x}.{y}', 'a://1.2', { x: '1', y: '2' }],
  ['a://100%', 'a://100%', {}],
  ['a://{x}', 'b://1', undefined],
])('%s matches %s', (template, uri, expected) => {
  const match = new UriTemplate(template).match(uri);
  expect(match && { ...match }).toEqual(expected);
});

test('returns its variables', () => {
  expect(new UriTemplate('x://{a}/{+b}{?c,d*}').variables).toEqual(['a', 'b', 'c', 'd']);
});

test('decides a URI that could be divided in many ways', () => {
  expect(new UriTemplate('mem://{+a}.{+b}.{c}').match(`mem://${'.'.repeat(4000)}/`)).toBeUndefined();
  expect(new UriTemplate('mem://{a}-{b}-{c}').match(`mem://${'-'.repeat(8000)}/`)).toBeUndefined();
  const costly = new UriTemplate(`mem://${'{+a}{b}{/c*}'.repeat(30)}!`);
  expect(costly.match(`mem://${'b/'.repeat(1000)}`)).toBeUndefined();
  expect(costly.match(`mem://${'b/'.repeat(1000)}!`)).toBeDefined();
  expect(new UriTemplate('mem://{a}-{b}!{c}').match(`mem://-${'-'.repeat(100)}!${'-'.repeat(8000)}`)).toBeDefined();
});

test('does not match a URI or a template that is too long', () => {
  expect(new UriTemplate('mem://{+a}').match(`mem://${'.'.repeat(9000)}`)).toBeUndefined();
  expect(new UriTemplate('{?a}'.repeat(100_000)).match('a'.repeat(100))).toBeUndefined();
});

test('stops at a different prefix, at a missing part, and when the step budget is used', () => {
  const left = (template: string, uri: string, steps = 10_000) => {
    const budget = { left: steps };
    const match = new UriTemplate(template).match(uri, budget);
    return { isMatch: match !== undefined, used: steps - budget.left };
  };
  expect(left('users://{id}', 'files://ada')).toEqual({ isMatch: false, used: 0 });
  expect(left(`a://${'{+x}'.repeat(100)}!`, 'a://123456')).toEqual({ isMatch: false, used: 11 });
  expect(left('a://{x}', 'a://123456')).toEqual({ isMatch: true, used: 44 });
  expect(left('a://{x}', 'a://123456', 43)).toEqual({ isMatch: false, used: 44 });
});

/** The result of a regular expression, as the reference for short texts. */
function matchByExpression(template: string, uri: string): (string | undefined)[] | undefined {
  const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  let pattern = '';
  let end = 0;
  for (const { 0: whole, 1: operator = '', 2: list = '', index } of template.matchAll(/\{([+#./;?&]?)([^{}]+)\}/g)) {
    const any = list.includes('*') || operator === '+' ? '(.+?)' : operator === '#' ? '(.*?)' : undefined;
    const one = list.split(',').map((name) => {
      const key = escaped(name.replace('*', ''));
      if (operator === '?') return `(?:[?&]${key}=([^&;#]*))?`;
      if (operator === '&' || operator === ';') return `(?:${operator}${key}=([^&;#]*))?`;
      if (operator === '/' || operator === '.') return `\\${operator}${any ?? `([^${operator}/?#]+)`}`;
      return any ?? '([^/?#,]+)';
    });
    const separator = operator === '' || operator === '+' || operator === '#' ? ',' : '';
    pattern += `${escaped(template.slice(end, index))}${operator === '#' ? '#' : ''}${one.join(separator)}`;
    end = index + whole.length;
  }
  return new RegExp(`^${pattern}${escaped(template.slice(end))}$`).exec(uri)?.slice(1);
}

test('finds the same values as a regular expression', () => {
  const texts = ['a', 'b://', '/', ',', '.', '#', '?', '&', ';', '-', '?x0=', '&x1='];
  const expressions = [
    '{N}',
    '{N,N}',
    '{+N}',
    '{#N,N}',
    '{/N}',
    '{.N}',
    '{?N,N}',
    '{&N}',
    '{;N}',
    '{/N*}',
    '{N*}',
    '{',
    '}',
  ];
  const templates = fc.array(fc.constantFrom(...texts, ...expressions), { maxLength: 6 }).map((pieces) => {
    let names = 0;
    return pieces.join('').replaceAll('N', () => `x${names++}`);
  });
  const uris = fc.array(fc.constantFrom(...texts, ';x0=', '&x2='), { maxLength: 10 }).map((pieces) => pieces.join(''));
  const agree = (template: string, uri: string) => {
    const { variables } = new UriTemplate(template);
    const found = new UriTemplate(template).match(uri);
    expect(found && variables.map((name) => found[name])).toEqual(matchByExpression(template, uri));
  };
  const filled = (template: string, values: string[]) =>
    template.replace(/\{[^{}]+\}/g, (whole) => `${/^[#/.]/.test(whole[1]!) ? whole[1] : ''}${values.pop() ?? ''}`);
  fc.assert(
    fc.property(templates, uris, fc.array(uris), (template, uri, values) => {
      agree(template, uri);
      agree(template, filled(template, values));
    }),
    { numRuns: 3000 },
  );
});

test('accepts a name from the prototype as a variable', () => {
  expect({ ...new UriTemplate('x://{__proto__}/{constructor}').match('x://1/2') }).toEqual({
    ['__proto__']: '1',
    constructor: '2',
  });
});
