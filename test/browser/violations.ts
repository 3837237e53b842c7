// Violations that axe finds in the current page, and its overflow in pixels.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axe);
  return (await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html, any }) => html.slice(0, 160) + ' ' + (any[0]?.message ?? '')).join(' | ')))`)) as string[];
}

export async function violationsAndOverflow(page: Page): Promise<string[]> {
  const over = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
  return [...(await violations(page)), ...(over > 0 ? [`${over} px too wide`] : [])];
}
