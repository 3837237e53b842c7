import { expect, test } from 'vitest';
import { readImports } from './read-imports.ts';

const specifiers = (source: string) => readImports(source).map(({ specifier }) => specifier);

test('finds every form of an import, with its line', () => {
  const source = `import 'side-effect';
import everything, { one } from 'default-and-named';
import * as all from "namespace";
import {
  one as uno,
  type Two,
} from 'over-several-lines';
export { three } from 'export-from';
export * from 'export-all';
export * as name from 'export-namespace';
const later = await import('dynamic');
const options = await import('with-options', { with: { type: 'json' } });`;
  expect(readImports(source).map(({ specifier, line }) => `${line} ${specifier}`)).toEqual([
    '1 side-effect',
    '2 default-and-named',
    '3 namespace',
    '4 over-several-lines',
    '8 export-from',
    '9 export-all',
    '10 export-namespace',
    '11 dynamic',
    '12 with-options',
  ]);
});

test('only an import that is removed by the compiler is type-only', () => {
  const source = `import type { A } from 'a';
import type B from 'b';
export type { C } from 'c';
export type * from 'd';
import { type E } from 'not-e';
import type from 'not-f';
import type, { g } from 'not-g';
import('not-h');`;
  const typeOnly = readImports(source).filter((each) => each.typeOnly);
  expect(typeOnly.map(({ specifier }) => specifier)).toEqual(['a', 'b', 'c', 'd']);
});

test('reports a computed specifier as unknown', () => {
  expect(readImports('import(name); import(`./file.ts`);')).toMatchObject([
    { specifier: undefined, dynamic: true },
    { specifier: undefined, dynamic: true },
  ]);
});

test('ignores text that only looks like an import', () => {
  const source = `
    // import { a } from 'comment';
    /* import { a } from 'block';
       export * from 'block'; */
    const text = "import { a } from 'string'";
    const template = \`import { a } from 'template' \${ 'x' } import('template')\`;
    const pattern = /import 'reg[/]exp'/;
    const quote = /['"\`]/;
    export const from = 'export';
    export { text };
    export type From = 'type';
    export type { From as Other };
    import.meta.url;
    thing.import('method');
    const table = { import: { summary: 'key' }, export: { summary: 'key' } };
    const { from: other } = thing;
  `;
  expect(specifiers(source)).toEqual([]);
});

test('reads code inside a template at any depth', () => {
  const source = `\`a \${\`b \${await import("deep")} { }\`} \${ {a: 1} } c\`; import("after")`;
  expect(specifiers(source)).toEqual(['deep', 'after']);
});

test('does not read a division as a regular expression', () => {
  expect(specifiers("const a = b / c; import('one'); const d = (e) / 2; import('two'); f / g;")).toEqual([
    'one',
    'two',
  ]);
});
