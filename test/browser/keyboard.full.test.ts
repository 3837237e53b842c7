import { expect, test } from 'vitest';
import { inBrowser, openPage } from './chromium.ts';
import { detail, live, rows, soon } from './on-page.ts';
import { openInspector } from './target.ts';

inBrowser('by keyboard alone', () => {
  test('the wire can be used: move, open, pair, search, follow, pause, help', async () => {
    const { url, host } = await openInspector('workbench');
    await host.listTools('workbench'); // its answer also contains the name of the tool, and precedes the call
    await host.callTool('workbench', 'fail', {});
    const page = await openPage(url);
    await live(page);
    await page.keyboard.press('2');
    await rows(page).first().waitFor();
    const cursor = page.locator('.row.cursor');
    await page.keyboard.press('g');
    await soon(() => cursor.getAttribute('aria-rowindex')).toBe('2');
    expect(await page.getByRole('button', { name: 'Follow' }).getAttribute('aria-pressed')).toBe('false');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await soon(() => cursor.getAttribute('aria-rowindex')).toBe('3');
    await page.keyboard.press('Enter');
    await detail(page).waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('detail');
    await page.keyboard.press('Escape');
    await soon(() => detail(page).count()).toBe(0);
    expect(await page.evaluate('document.activeElement.id')).toBe('timeline');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await soon(() => page.locator('.row.selected').count()).toBe(3);
    await page.keyboard.press('/');
    await page.keyboard.type('fail');
    await page.keyboard.press('Enter');
    await soon(() => rows(page).count()).toBe(3);
    await page.keyboard.press('g');
    await page.keyboard.press('j');
    await page.keyboard.press('p');
    await soon(() => cursor.getAttribute('aria-rowindex')).toBe('4');
    await page.keyboard.press('f');
    expect(await page.getByRole('button', { name: 'Follow' }).getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Paused' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await soon(() => page.getByRole('dialog').count()).toBe(0);
  });

  test('a tool can be chosen, filled in and called, with visible focus', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(url);
    await live(page);
    await page.keyboard.press('3');
    await page.getByRole('link', { name: /^echo/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('says');
    await tabTo(page, 'echo');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'echo' }).waitFor();
    await soon(() => page.evaluate('document.activeElement?.labels?.[0]?.textContent')).toMatch(/^text/);
    await page.keyboard.type('by hand');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('region', { name: 'Text' }).getByText('by hand').waitFor();
  });
});

/** Presses Tab until the label of the focused element begins with the name; each focused element must have a visible outline. */
async function tabTo(page: import('playwright-core').Page, name: string): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab');
    const [words, outline] = (await page.evaluate(`(() => {
      const element = document.activeElement;
      return [element.labels?.[0]?.textContent ?? element.textContent, getComputedStyle(element).outlineStyle];
    })()`)) as [string, string];
    expect(outline).not.toBe('none');
    if (words.startsWith(name)) return;
  }
  throw new Error(`Tab does not lead to ${name}`);
}
