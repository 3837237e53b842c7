// Opens a recording as HTML from disk. Its data comes from a hostile server.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { folder, runCli } from '../cli/run-cli.ts';
import { recorded, replayFixture } from '../replay/recorded.ts';
import { inBrowser, openPage, type PageOptions } from './chromium.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const file = `${folder}/converted.html`;
const recording = await recorded([process.execPath, replayFixture('hostile-names')], async (client) => {
  const [{ name } = { name: '' }] = (await client.listTools()).tools;
  await client.callTool(name, {});
});
await runCli(['convert', recording, '--to', 'html', '--output', file]);

/** Fails if the page requests any other resource, or violates its policy. */
const openConverted = (options: PageOptions) => openPage(`file://${file}`, { expects: /^asked for file:/, ...options });

inBrowser('a recording as HTML', () => {
  test.each([
    ['light', 1000],
    ['dark', 360],
  ] as const)('%s, %i wide: axe finds no violation, and nothing overflows', async (colorScheme, width) => {
    const page = await openConverted({ colorScheme, viewport: { width, height: 800 }, bypassCSP: true });
    await page.evaluate(axe);
    const violations = await page.evaluate(
      `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`,
    );
    expect(violations).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  test('text of a server stays text, and the keyboard opens a request', async () => {
    const page = await openConverted({});
    expect(await page.locator('img, script').count()).toBe(0);
    const call = page.locator('details', { hasText: 'tools/call' }).last();
    const answer = call.locator('pre').last();
    expect(await answer.isVisible()).toBe(false);
    await call.locator('summary').focus();
    await page.keyboard.press('Enter');
    expect(await answer.isVisible()).toBe(true);
    expect(await answer.textContent()).toContain('</script><img src=x onerror=\\"alert(1)\\">');
    expect(await page.getByText('stray <b>output</b>').count()).toBe(1);
  });
});
