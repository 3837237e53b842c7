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

test('names its variables', () => {
  expect(new UriTemplate('x://{a}/{+b}{?c,d*}').variables).toEqual(['a', 'b', 'c', 'd']);
});

test('a URI made to be parted in a thousand ways is not looked at', () => {
  expect(new UriTemplate('mem://{+a}.{+b}.{c}').match(`mem://${'.'.repeat(4000)}/`)).toBeUndefined();
  expect(new UriTemplate('mem://{+a}').match(`mem://${'.'.repeat(9000)}`)).toBeUndefined();
});

test('a name from the prototype is a variable like any other', () => {
  expect({ ...new UriTemplate('x://{__proto__}/{constructor}').match('x://1/2') }).toEqual({
    ['__proto__']: '1',
    constructor: '2',
  });
});
