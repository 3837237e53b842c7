// The free text of the filter finds text at any position of a message.

import { expect, test } from 'vitest';
import { inBrowser, openPage } from './chromium.ts';
import { detail, live, rows, soon } from './on-page.ts';
import { openInspector } from './target.ts';

const far = 'far '.repeat(20_000);

inBrowser('searching in messages', () => {
  test('finds text deep inside a long message, combined with other filters', async () => {
    const { url, host } = await openInspector('workbench');
    await host.callTool('workbench', 'echo', { text: 'the first' });
    await host.callTool('workbench', 'echo', { text: `${far}a golden Needle` });
    await host.callTool('workbench', 'echo', { text: 'the last' });
    const page = await openPage(`${url}#/wire`);
    await live(page);
    await page.getByLabel('Find in the timeline').fill('golden needle');
    await soon(() => rows(page).count()).toBe(2);
    expect(await rows(page).first().textContent()).not.toContain('golden');
    await page.getByLabel('Direction').selectOption('fromServer');
    await soon(() => rows(page).count()).toBe(1);
    await rows(page).first().click();
    const found = detail(page).locator('.found-text');
    await soon(() => found.locator('mark').textContent()).toBe('golden Needle');
    expect(await found.textContent()).toMatch(/^Found at character 80,\d{3}: ….*far far a golden Needle/);
    await detail(page).getByRole('tab', { name: 'Text' }).click();
    await detail(page)
      .getByRole('button', { name: /^Show more/ })
      .click();
    await detail(page).getByRole('region', { name: 'Contents as text' }).getByText('a golden Needle').waitFor();
    await page.reload();
    await soon(() => rows(page).count()).toBe(1);
    await page.getByLabel('Find in the timeline').fill('golden needles');
    await page.getByText('No events match the filter').waitFor();
  });

  test('finds text in new events, and shows them in order', async () => {
    const { url, host } = await openInspector('workbench');
    const page = await openPage(`${url}#/wire?q=needle&direction=toServer`);
    await live(page);
    await page.getByText('No events match the filter').waitFor();
    await host.callTool('workbench', 'echo', { text: `${far}needle one` });
    await host.callTool('workbench', 'echo', { text: 'hay' });
    await host.callTool('workbench', 'echo', { text: 'needle two, in sight' });
    await host.callTool('workbench', 'echo', { text: `${far}needle three` });
    await soon(() => rows(page).count()).toBe(3);
    expect(await rows(page).nth(1).textContent()).toContain('needle two');
  });

  test('searches only the text of the rows if the backend has exited, and reports that', async () => {
    const inspector = await openInspector('workbench');
    await inspector.host.callTool('workbench', 'echo', { text: 'in sight' });
    const page = await openPage(`${inspector.url}#/wire`, { expects: /ERR_|Failed to load/ });
    await live(page);
    await rows(page).first().waitFor();
    await inspector.close();
    await page.getByText('disconnected').waitFor();
    await page.getByLabel('Find in the timeline').fill('in sight');
    await page.getByText('whole messages could not be searched').waitFor();
    expect(await rows(page).count()).toBe(2);
  });
});
