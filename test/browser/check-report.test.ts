// The HTML report of a check: a file that is opened from disk, with data of a hostile server.

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { htmlOf } from '../../src/check/report/html.ts';
import { madeReport } from '../check/made-report.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { inBrowser, openPage, type PageOptions } from './chromium.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const file = join(temporaryFolder('check-report'), 'report.html');
writeFileSync(file, htmlOf(madeReport));

/** Fails if the page requests any other resource, or violates its policy. */
const openReport = (options: PageOptions) => openPage(`file://${file}`, { expects: /^asked for file:/, ...options });

inBrowser('the report of a check', () => {
  test.each([
    ['light', 1000],
    ['dark', 360],
  ] as const)('%s, %i wide: axe finds no violation, and nothing overflows', async (colorScheme, width) => {
    const page = await openReport({ colorScheme, viewport: { width, height: 800 }, bypassCSP: true });
    await page.evaluate(axe);
    const violations = await page.evaluate(
      `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`,
    );
    expect(violations).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  test('text of a server stays text, problems are open, and the keyboard opens passed rules', async () => {
    const page = await openReport({});
    expect(await page.locator('img, script').count()).toBe(0);
    expect(await page.locator('h2:visible').allTextContents()).toEqual([
      'Problems (1)',
      'Warnings (1)',
      'Advice (1)',
      'Passed (1)',
      'Not applicable (2)',
    ]);
    const frames = page.locator('.rule.failed .frames');
    expect(await frames.textContent()).toContain(
      '</script><img src=x onerror="alert(1)">]]>&amp;\\x00\\x1b[2J\\x9b\\u202e',
    );
    expect(await frames.textContent()).toContain('漢字 עברית 👩‍👩‍👧 grüße');
    expect(await frames.isVisible()).toBe(true);
    const passed = page.getByText('lifecycle/opens');
    expect(await passed.isVisible()).toBe(false);
    await page.locator('details.others.passed > summary').focus();
    await page.keyboard.press('Enter');
    expect(await passed.isVisible()).toBe(true);
    await page.locator('.rule.failed > summary').focus();
    await page.keyboard.press('Enter');
    expect(await frames.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    expect(await frames.isVisible()).toBe(true);
  });
});
