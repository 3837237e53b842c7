// The page keeps its content when a server crashes, when the page is reloaded, and when the backend exits.

import { expect, test } from 'vitest';
import { inBrowser, openPage } from './chromium.ts';
import { detail, live, rows } from './on-page.ts';
import { openInspector } from './target.ts';

const lost = /ERR_CONNECTION_(?:REFUSED|RESET)|ERR_FAILED|ERR_INCOMPLETE|ERR_EMPTY|ERR_INTERNET|401/;

inBrowser('evidence stays', () => {
  test('shows the stderr, the exit and the lost call of a server that crashes', async () => {
    const { url, host } = await openInspector('workbench');
    const page = await openPage(`${url}#/wire`);
    await live(page);
    await rows(page).first().waitFor();
    await host.callTool('workbench', 'crash', {}).catch(() => undefined);
    await rows(page).filter({ hasText: 'OvenError: no gas' }).first().waitFor();
    await rows(page).filter({ hasText: 'exited with code 3' }).first().waitFor();
    const call = rows(page).filter({ hasText: 'crash' }).filter({ hasText: 'never answered' });
    await call.first().waitFor();
    expect(await rows(page).filter({ hasText: 'initialize' }).count()).toBeGreaterThan(0);
  });

  test('a reload needs no token in the address and shows the same event', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(`${url}#/wire?event=2`);
    await detail(page).getByText('#2', { exact: true }).waitFor();
    expect(page.url()).not.toContain('token');
    await page.reload();
    await detail(page).getByText('#2', { exact: true }).waitFor();
  });

  test('reports that the backend has exited, and keeps its content', async () => {
    const inspector = await openInspector('workbench');
    const page = await openPage(`${inspector.url}#/wire`, { expects: lost });
    await live(page);
    await rows(page).nth(3).click();
    await detail(page).getByRole('tab').first().waitFor();
    const before = await rows(page).count();
    await inspector.close();
    await page.getByText('disconnected').waitFor();
    expect(await rows(page).count()).toBe(before);
    await detail(page).getByRole('tab').first().waitFor();
    await page.keyboard.press('j');
    await detail(page)
      .getByText(/The content is not available/)
      .waitFor();
  });

  test('a lost connection is resumed after the last row', async () => {
    const { url, host } = await openInspector('workbench');
    const page = await openPage(`${url}#/wire`, { expects: lost });
    await live(page);
    await page.context().setOffline(true);
    await page.route('**/api/**', (route) => route.abort());
    await page.evaluate('1');
    await host.callTool('workbench', 'echo', { text: 'while away' });
    await page.unroute('**/api/**');
    await page.context().setOffline(false);
    await rows(page).filter({ hasText: 'while away' }).first().waitFor();
    await live(page);
    expect(await rows(page).filter({ hasText: 'while away' }).count()).toBe(2);
  });

  test('the page without its token shows a remedy', async () => {
    const { port } = await openInspector('workbench');
    const page = await openPage(`http://127.0.0.1:${port}/`, { expects: lost });
    await page.getByRole('heading', { name: 'This page requires a token' }).waitFor();
    await page.goto(`http://127.0.0.1:${port}/?token=wrong`);
    await page.getByRole('heading', { name: 'This token is no longer valid' }).waitFor();
  });
});
