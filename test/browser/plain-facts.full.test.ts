// Figures that agree, links that lead nowhere, colours, and the timeline at 900 px.

import { expect, test } from 'vitest';
import { inBrowser, openPage } from './chromium.ts';
import { goTo, live, openTool, rows, soon } from './on-page.ts';
import { openInspector } from './target.ts';
import { violationsAndOverflow } from './violations.ts';

inBrowser('links that lead nowhere', () => {
  test('an unknown view, event, server or tool has a message', async () => {
    const { url } = await openInspector('gallery');
    const page = await openPage(`${url}#/no-such-view`);
    await page.getByRole('alert').getByText('There is no view named “no-such-view”').waitFor();
    await goTo(page, '#/wire?event=999999');
    await page.getByRole('alert').getByText('There is no event #999999 yet').waitFor();
    await goTo(page, '#/tools?server=gallery&name=no-such');
    await page.getByText('The server “gallery” lists no tool named “no-such”.').waitFor();
    await goTo(page, '#/tools?server=nobody&name=chatter');
    await page.getByText('There is no server named “nobody” here.').waitFor();
  });

  test('a call on a disconnected page says why it was not made', async () => {
    const inspector = await openInspector('gallery');
    const page = await openPage(inspector.url, { expects: /Failed to load resource|ERR_CONNECTION/ });
    await live(page);
    await openTool(page, 'think', 'gallery');
    await inspector.close();
    await page.getByText('The Inspector is disconnected: nothing can be sent.').waitFor();
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText('Not called: the Inspector is disconnected.').waitFor();
  });
});

inBrowser('figures', () => {
  test('the number of problems is the same in the navigation and in the view, and probes are told from restarts', async () => {
    const { url } = await openInspector('falls', 'workbench');
    const page = await openPage(`${url}#/problems`);
    await live(page);
    const badge = page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('link', { name: /^Problems/ })
      .locator('.count');
    const count = async () =>
      Number(/^(\d+) problem/.exec((await page.locator('.view-head .muted').textContent())!)?.[1]);
    await soon(async () => (await count()) === Number(await badge.textContent())).toBe(true);
    expect(await count()).toBe(await page.locator('.problem:not(.mild)').count());
    await goTo(page, '#/servers');
    await page
      .getByRole('region', { name: 'falls', exact: true })
      .getByText(/process runs, \d+ of them ended at the question for the revision/)
      .waitFor();
  });

  test('the colour of a client is the same after a reload, and connections that only control the host are not listed', async () => {
    const { url, host } = await openInspector('workbench');
    const connect = (id: string) => {
      const client = host.clients.observe({ id, principal: 'ada' }, { door: 'socket' });
      client.introduced({ revision: '2025-11-25', info: { name: 'program', version: '1' } });
      return client;
    };
    connect('7').fromClient('{"jsonrpc":"2.0","id":1,"method":"standpipe/status"}');
    connect('8').fromClient('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    const page = await openPage(`${url}#/clients`);
    await soon(() => page.locator('table.clients tbody tr').count()).toBe(1);
    await page.getByText('1 connection that only controlled the host not listed').waitFor();
    const colour = () => page.locator('table.clients .server-dot').first().getAttribute('style');
    const before = await colour();
    await goTo(page, '#/wire');
    await page.reload();
    await goTo(page, '#/clients');
    await soon(colour).toBe(before);
  });
});

inBrowser('output and widths', () => {
  test('colours of stderr are shown as colours, and no escape sequence as text', async () => {
    const { url, host } = await openInspector('gallery');
    const page = await openPage(`${url}#/stderr`);
    await live(page);
    const called = host.callTool('gallery', 'chatter', {});
    await page.getByRole('button', { name: /1 question/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click();
    await called;
    const line = page.locator('.stderr-line', { hasText: 'bold green' });
    await line.locator('.ansi-red', { hasText: 'red' }).waitFor();
    await line.locator('.ansi-green.ansi-bold', { hasText: 'bold green' }).waitFor();
    expect(await line.textContent()).not.toContain('ESC');
    await page.getByLabel('Find in stderr').fill('bold');
    await line.locator('mark').waitFor();
    await goTo(page, '#/wire?kinds=stderr');
    await soon(() => rows(page).filter({ hasText: 'red and bold green' }).count()).toBe(1);
  });

  test.each(['light', 'dark'] as const)(
    'the timeline at 900 px has one row of filters and unclipped columns (%s)',
    async (colorScheme) => {
      const { url } = await openInspector('workbench');
      const page = await openPage(`${url}#/wire?event=3`, { viewport: { width: 900, height: 700 }, colorScheme });
      await live(page);
      await page.locator('#detail').waitFor();
      const bar = (await page.locator('.filter-bar').boundingBox())!;
      expect(bar.height).toBeLessThan(60);
      const [head, sheet] = [
        await page.locator('.row.head').boundingBox(),
        await page.locator('#detail').boundingBox(),
      ];
      expect(sheet!.y).toBeGreaterThan(head!.y + head!.height);
      expect(head!.width).toBeGreaterThan(700);
      expect(await page.locator('.row.head .c7').isVisible()).toBe(true);
      expect(await violationsAndOverflow(page)).toEqual([]);
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByLabel('errors only').check();
      await page.getByRole('button', { name: 'Filter · on' }).waitFor();
    },
  );
});
