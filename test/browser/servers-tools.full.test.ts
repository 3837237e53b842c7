// What the page offers for each server beyond its calls: ping, description, roots, log level and log messages.

import { expect, test } from 'vitest';
import { inBrowser, openPage } from './chromium.ts';
import { goTo, live, openTool, soon } from './on-page.ts';
import { openInspector } from './target.ts';

inBrowser('a server', () => {
  test('is pinged, and shows its version, capabilities and instructions', async () => {
    const { url } = await openInspector('gallery');
    const page = await openPage(`${url}#/servers`);
    await live(page);
    const card = page.getByRole('region', { name: 'gallery', exact: true });
    await card.getByRole('button', { name: 'Ping gallery' }).click();
    await page.getByText(/gallery answered the ping after/).waitFor();
    await card.getByText('Capabilities and instructions').click();
    await card.getByRole('region', { name: 'Capabilities of gallery' }).getByText('subscribe:').waitFor();
    await card.getByText('Look, and do not touch.').waitFor();
    await card.getByText('1.2.0').first().waitFor();
  });

  test('gets the roots that are edited in the page', async () => {
    const { url } = await openInspector('gallery');
    const page = await openPage(`${url}#/servers`);
    await live(page);
    await page.getByRole('button', { name: '0 roots' }).click();
    const dialog = page.getByRole('dialog', { name: 'Roots' });
    await dialog.getByLabel('URI of root 1').fill('no address');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/file:\/\//)
      .waitFor();
    await dialog.getByLabel('URI of root 1').fill('file:///home/ada');
    await dialog.getByLabel('Name of root 1').fill('home');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: '1 root' }).waitFor();
    await goTo(page, '#/wire?method=notifications/roots/list_changed');
    await page.locator('.timeline .rows .row').first().waitFor();
    await openTool(page, 'roots', 'gallery');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const result = page.getByRole('region', { name: 'Result', exact: true });
    await result.getByRole('cell', { name: 'file:///home/ada' }).waitFor();
  });

  test('sends log messages from the chosen level on, and the page shows those of a level', async () => {
    const { url, host } = await openInspector('gallery');
    const page = await openPage(`${url}#/logs?server=gallery`);
    await live(page);
    const call = async () => {
      const called = host.callTool('gallery', 'chatter', {});
      await page.getByRole('button', { name: /1 question/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Answer' }).click();
      await called;
    };
    await call();
    const lines = page.getByRole('region', { name: 'Log messages' }).getByRole('link');
    await soon(() => lines.count()).toBe(2);
    await page.getByLabel('Level').selectOption('warning');
    await soon(() => lines.count()).toBe(1);
    await lines.getByText('after the question').waitFor();
    await page.getByLabel('Level').selectOption('');
    await page.getByLabel('gallery sends from').selectOption('warning');
    await page.getByText('gallery sends log messages from “warning” on').waitFor();
    await call();
    await soon(() => lines.count()).toBe(3);
    await page.getByLabel('Find in logs').fill('work begins');
    await soon(() => lines.count()).toBe(1);
    await lines.first().click();
    await soon(() => page.locator('#detail h2').textContent()).toBe('notifications/message');
  });
});

inBrowser('healthy servers', () => {
  test('are not marked red because of the lists that the page reads, which can be hidden', async () => {
    const { url } = await openInspector('bare');
    const page = await openPage(`${url}#/resources`);
    await page.getByRole('navigation', { name: 'All resources' }).getByRole('link').waitFor();
    expect(await page.locator('.note.bad').count()).toBe(0);
    await goTo(page, '#/wire?method=resources/templates/list');
    const rows = page.locator('.timeline .rows .row');
    await rows.filter({ hasText: 'lists for this page' }).first().waitFor();
    await rows.filter({ hasText: 'this server has no such list' }).first().waitFor();
    expect(await page.locator('.row.bad').count()).toBe(0);
    await page.getByLabel('own lists').uncheck();
    await soon(() => rows.count()).toBe(0);
    await page.getByLabel('own lists').check();
    await goTo(page, '#/latency');
    await page.getByText('No responses yet').waitFor();
    await page.getByLabel(/startup, questions and own lists/).check();
    await page.getByRole('row').filter({ hasText: 'resources/templates/list' }).waitFor();
    expect(await page.locator('td.bad-text').count()).toBe(0);
  });
});
