// Texts of a hostile server are shown as text, and are never interpreted.

import { expect, test } from 'vitest';
import { inBrowser, openPage } from './chromium.ts';
import { goTo, live, rows } from './on-page.ts';
import { openInspector } from './target.ts';

inBrowser('a hostile server', () => {
  test('has its names, contents and addresses shown as text in every view', async () => {
    const { url } = await openInspector('hostile');
    const page = await openPage(url);
    await live(page);
    await page.getByText('<img src=x onerror').first().waitFor();
    await goTo(page, '#/tools?server=hostile');
    await page.getByRole('link', { name: /^evil/ }).click();
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('tool error').waitFor();
    await result.getByText('The data is not valid base64.').waitFor();
    for (const tab of await result.getByRole('tab').all()) await tab.click();
    for (const view of ['resources?server=hostile', 'prompts?server=hostile', 'wire', 'stderr', 'latency']) {
      await goTo(page, `#/${view}`);
      await page.getByText('<img src=x').first().waitFor();
    }
    await goTo(page, '#/problems');
    await page.locator('main.view-problems h1').waitFor({ state: 'attached' });
    await goTo(page, '#/wire');
    for (const row of (await rows(page).all()).slice(0, 8)) await row.click();
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('main img[src="x"], main script, a[href^="javascript:"]').count()).toBe(0);
  });

  test('has escapes, reversed text and zero-width characters made visible', async () => {
    const { url } = await openInspector('hostile');
    const page = await openPage(`${url}#/wire?kinds=noise`);
    const noise = rows(page).first();
    await noise.getByText('⟨ESC⟩[31mred').waitFor();
    expect(await noise.textContent()).toMatch(/⟨BEL⟩.*⟨U\+202E⟩gnp\.exe.*⟨U\+200B⟩zero/);
  });

  test('gets a usable form for a recursive and invalid schema', async () => {
    const { url } = await openInspector('hostile');
    const page = await openPage(`${url}#/tools?server=hostile`);
    await page.getByRole('link', { name: /^evil/ }).click();
    const form = page.locator('.call-pane form');
    await form.getByRole('button', { name: 'Add loop' }).first().click();
    await form
      .getByLabel(/^__proto__/)
      .first()
      .fill('plain');
    await form
      .getByLabel(/^broken/)
      .last()
      .fill('[1]');
    await form.getByRole('tab', { name: 'JSON' }).click();
    const written = await form.getByLabel('arguments as JSON').inputValue();
    expect(written).toContain('"__proto__": "plain"');
    expect(await page.evaluate('({}).plain')).toBeUndefined();
  });
});
