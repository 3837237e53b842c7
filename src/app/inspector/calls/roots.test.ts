import { expect, test } from 'vitest';
import { readRoots } from './roots.ts';

test('takes URIs with names, and refuses anything else', () => {
  expect(
    readRoots({
      roots: [
        { uri: 'file:///a', name: '' },
        { uri: 'file:///b', name: 'b', more: 1 },
      ],
    }),
  ).toEqual([{ uri: 'file:///a' }, { uri: 'file:///b', name: 'b' }]);
  const many = Array.from({ length: 101 }, (_, at) => ({ uri: `file:///${at}` }));
  for (const body of [undefined, {}, { roots: many }]) expect(() => readRoots(body)).toThrow(/at most 100 roots/);
  for (const root of [{}, { uri: 'no address' }, { uri: 1 }, 'file:///a']) {
    expect(() => readRoots({ roots: [root] })).toThrow(/needs a "uri"/);
  }
  expect(() => readRoots({ roots: [{ uri: 'file:///a', name: 1 }] })).toThrow(/name/);
});
