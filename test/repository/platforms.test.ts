// docs/platforms.md lists the existing scenarios.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTable } from '../../scripts/windows/platform-table.mjs';
import { readFaults, readScenarios } from '../windows/scenario.mjs';
import { root } from './files.ts';
import { headingAnchors } from './markdown.ts';

test('the table of platforms has the tests and every scenario of test/windows, in order', async () => {
  const titles = (await readScenarios()).map(({ title }) => title);
  expect([...readTable().keys()]).toEqual(['Unit tests', 'Tests in `test/`', ...titles]);
});

test('every program that shows a fault of Wine has a section, and scenarios name existing programs', async () => {
  const names = readFaults().map(({ name }) => name);
  const anchors = headingAnchors(readFileSync(join(root, 'docs/platforms.md'), 'utf8'));
  expect(names.filter((name) => !anchors.includes(name))).toEqual([]);
  const named = (await readScenarios()).flatMap(({ wineFault = [] }) => wineFault);
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
});
