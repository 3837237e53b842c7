import { expect, test } from 'vitest';
import { inBrowser, openPage } from './chromium.ts';
import { detail, goTo, live, rows, soon } from './on-page.ts';
import { openInspector } from './target.ts';

inBrowser('two protocols side by side', () => {
  test('a LiteMCP server is listed beside an MCP server, can be called, and its exchange is on the wire', async () => {
    const { url, host } = await openInspector('calculator', 'workbench');
    const page = await openPage(url);
    await live(page);
    for (const name of ['calculator', 'workbench']) {
      await page.getByRole('region', { name, exact: true }).getByText('ready', { exact: true }).waitFor();
    }
    await page
      .getByRole('region', { name: 'calculator', exact: true })
      .getByText('LiteMCP 1.0.0', { exact: true })
      .waitFor();

    const [tool] = await host.listTools('calculator');
    await goTo(page, `#/tools?server=calculator&name=${tool!.name}`);
    const form = page.locator('.call-pane form');
    await form.getByLabel(/^a\b/).fill('40');
    await form.getByLabel(/^b\b/).fill('2');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('done', { exact: true }).waitFor();
    await result.getByRole('tab', { name: 'Content' }).click();
    expect(await result.getByRole('region', { name: 'Text' }).textContent()).toBe('42');

    await goTo(page, '#/wire?server=calculator&q=Calculator');
    const request = rows(page).filter({ hasText: '→' }).last();
    const answer = rows(page).last();
    await soon(() => answer.locator('.c5').textContent()).toMatch(/(?:ms|µs)$/);
    await request.click();
    await soon(() => answer.getAttribute('class')).toContain('pair');
    await detail(page).getByRole('tab', { name: 'Text' }).click();
    const text = detail(page).getByRole('region', { name: 'Contents as text' });
    await text.getByText('"version":[1,0,0]').waitFor();
    await page.keyboard.press('p');
    await soon(() => answer.getAttribute('aria-selected')).toBe('true');
    await text.getByText('42').waitFor();
    expect(await detail(page).locator('.note.bad').count()).toBe(0);

    await goTo(page, '#/problems');
    await page.getByRole('heading', { name: 'Problems' }).waitFor();
    expect(await page.locator('.problem', { hasText: 'calculator' }).count()).toBe(0);
  });
});
