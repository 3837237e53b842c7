import { expect, test } from 'vitest';
import { masked, parseMask } from './masks.ts';

const definition = {
  name: 'search',
  description: 'Today is Monday',
  inputSchema: { properties: { day: { default: 1 }, at: {} } },
};
const mask = (text: string) => parseMask(text)!.path;

test('leaves out masked parts', () => {
  expect(masked(definition, 'search', [mask('/tools/search/description')])).toEqual({
    name: 'search',
    inputSchema: definition.inputSchema,
  });
  expect(masked(definition, 'search', [mask('/tools/*/inputSchema/properties/*/default')])).toEqual({
    ...definition,
    inputSchema: { properties: { day: {}, at: {} } },
  });
  expect(masked({ name: 'a', list: [{ x: 1 }, { x: 2 }] }, 'a', [mask('/tools/a/list/1/x')])).toEqual({
    name: 'a',
    list: [{ x: 1 }, {}],
  });
});

test('keeps the definition of another name, and the same object where nothing is masked', () => {
  expect(masked(definition, 'search', [mask('/tools/other/description')])).toBe(definition);
  expect(masked(definition, 'search', [])).toBe(definition);
});

test('reads JSON pointers, and no mask of a whole definition', () => {
  expect(parseMask('/tools/a~1b/x~0y')).toEqual({ list: 'tools', path: ['a/b', 'x~y'] });
  for (const text of ['', 'tools/a/b', '/tools', '/tools/a', '/tools/a/', '/tools//b'])
    expect(parseMask(text)).toBeUndefined();
});
