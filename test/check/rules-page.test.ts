// docs/check.md describes every rule like the code. UPDATE_CHECK=1 updates it.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checks } from '../../src/check/checks.ts';
import { replaceMatrix } from '../interop/matrix-table.ts';
import { root } from '../repository/files.ts';
import { rulesMarkdown } from './rules-page.ts';

const path = join(root, 'docs/check.md');

test('docs/check.md shows the rules of the code', () => {
  const page = readFileSync(path, 'utf8');
  const updated = replaceMatrix(page, rulesMarkdown());
  if (process.env.UPDATE_CHECK) writeFileSync(path, updated);
  else expect(updated).toBe(page);
});

test('rules without a specification are advice', () => {
  const rules = Object.values(checks).flatMap(({ mcp, litemcp }) => [...mcp.rules, ...litemcp.rules]);
  const own = rules.filter(({ source }) => source.of === 'standpipe');
  expect(own.filter(({ level, levels }) => level !== 'ADVICE' || levels)).toEqual([]);
});

test('the examples for CI name the current version', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const named = [...readFileSync(path, 'utf8').matchAll(/standpipe@([\w.-]+)/g)].map((match) => match[1]);
  expect(new Set(named)).toEqual(new Set([version]));
});
