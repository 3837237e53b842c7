// Everyday use: correct behaviour is not shown as a fault, and frequent actions take few steps.

import { expect, test } from 'vitest';
import { inBrowser, openPage } from './chromium.ts';
import { goTo, live, openTool, rows, soon } from './on-page.ts';
import { openInspector } from './target.ts';

inBrowser('everyday use', () => {
  test('a cancelled call is not shown as a failure in its result, on the wire, or in the figures', async () => {
    const { url, host } = await openInspector('workbench');
    const page = await openPage(url);
    await live(page);
    const form = await openTool(page, 'work');
    await form.getByLabel(/^steps/).fill('2000');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText(/step \d+/).waitFor();
    await result.getByRole('button', { name: 'Cancel' }).click();
    await result.getByText('cancelled', { exact: true }).waitFor();
    expect(await result.locator('.note.bad').count()).toBe(0);
    expect(host.status()[0]).toMatchObject({ errors: 0, lastError: undefined });
    await goTo(page, '#/wire?method=tools/call');
    await rows(page).first().getByText('cancelled').waitFor();
    expect(await page.locator('.row.bad').count()).toBe(0);
    await goTo(page, '#/wire?errors=1');
    await soon(() => rows(page).allTextContents()).toEqual([]);
  });

  test('a server of an older revision is not shown as faulty for refusing server/discover', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(`${url}#/wire?method=server/discover`);
    await rows(page).first().getByText('older revision').waitFor();
    await soon(() => rows(page).count()).toBe(2);
    expect(await page.locator('.row.bad').count()).toBe(0);
    await goTo(page, '#/latency');
    await page.getByRole('checkbox', { name: /^startup/ }).check();
    const row = page.getByRole('row').filter({ hasText: 'server/discover' });
    await row.waitFor();
    expect(await row.textContent()).not.toContain('%');
  });

  test('choosing a tool from all servers keeps the list, and focuses the form', async () => {
    const { url } = await openInspector('workbench', 'calculator');
    const page = await openPage(`${url}#/tools`);
    const list = page.getByRole('navigation', { name: 'All tools' });
    await list
      .getByRole('link', { name: /alculator/ })
      .first()
      .waitFor();
    await list.getByRole('link', { name: /^echo/ }).waitFor();
    const count = await list.getByRole('listitem').count();
    await list.getByRole('link', { name: /^echo/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Call', exact: true }).waitFor();
    await soon(() => page.evaluate('document.activeElement?.labels?.[0]?.textContent')).toMatch(/^text/);
    expect(await list.getByRole('listitem').count()).toBe(count);
    expect(await page.getByLabel('Server', { exact: true }).inputValue()).toBe('');
    await page.getByLabel('Server', { exact: true }).selectOption('workbench');
    await soon(() => list.getByRole('listitem').count()).toBeLessThan(count);
  });

  test('the window itself never scrolls', async () => {
    const { url, host } = await openInspector('workbench', 'falls');
    for (let at = 0; at < 5; at++) await host.callTool('workbench', 'pollute', {});
    const page = await openPage(url);
    await live(page);
    const views = ['servers', 'wire', 'tools', 'resources', 'prompts', 'latency', 'stderr', 'problems'];
    const places = [...views, 'tools?server=workbench&name=order', 'wire?event=12'];
    for (const place of places) {
      await goTo(page, `#/${place}`);
      await page.locator('main h1, main .timeline').first().waitFor();
      if (place.includes('order')) await page.getByRole('button', { name: 'Call', exact: true }).waitFor();
      const over = 'document.documentElement.scrollHeight - innerHeight';
      expect([place, await page.evaluate(over)]).toEqual([place, 0]);
    }
  });

  test('the card of a server shows the reason of a crash once, in plain text', async () => {
    const { url, host } = await openInspector('falls');
    const page = await openPage(url);
    const card = page.getByRole('region', { name: 'falls', exact: true });
    await soon(() => host.status()[0]!.state).toBe('failed');
    await card.getByText('failed', { exact: true }).waitFor();
    expect(
      await card
        .getByText(/cannot open/)
        .filter({ visible: true })
        .count(),
    ).toBe(1);
    expect(await card.textContent()).not.toContain('evidence.');
  });

  test('requests of the page itself are not counted as calls', async () => {
    const { url, host } = await openInspector('workbench');
    const page = await openPage(`${url}#/tools`);
    await page.getByRole('link', { name: /^echo/ }).waitFor();
    expect(host.status()[0]!.calls).toBe(0);
  });
});
