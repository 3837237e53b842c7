// docs/architecture.md names files and functions of the sources, which change more often than the page.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './files.ts';

const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');

test('every file and folder that it names exists', () => {
  const named = [...page.matchAll(/`((?:src|test)\/[\w/.-]+|[\w-]+\/[\w/-]+\.ts)`/g)].map(([, path]) => path!);
  const below = (path: string) => (/^(?:src|test)\//.test(path) ? path : `src/${path}`);
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !existsSync(join(root, below(path))))).toEqual([]);
});

test('every function of its walks is in the named file', () => {
  const steps = [...page.matchAll(/^\| \d+ \| `([^`]+)` \| `([^`]+)` \|/gm)];
  expect(steps).toHaveLength(10);
  const missing = steps.filter(([, file, name]) => {
    const source = readFileSync(join(root, 'src', file!), 'utf8');
    return !new RegExp(`^ +(?:async |readonly )?${name}(?:[(<]| =)`, 'm').test(source);
  });
  expect(missing.map(([row]) => row)).toEqual([]);
});

test('docs/architecture.md stays below its length limit', () => {
  expect(page.split('\n').length).toBeLessThanOrEqual(120);
});
