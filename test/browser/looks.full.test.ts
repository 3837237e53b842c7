// Every view in both themes and both widths: axe finds no violation, and nothing overflows.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { usually } from '../fixtures/repetitions.ts';
import { inBrowser, openPage } from './chromium.ts';
import { goTo, live, soon } from './on-page.ts';
import { openInspector } from './target.ts';
import { violations, violationsAndOverflow } from './violations.ts';

const views = [
  'servers',
  'wire',
  'wire?event=5',
  'wire?q=jsonrpc&event=5',
  'tools',
  'tools?server=workbench&name=order',
  'tools?server=workbench&name=fail',
  'resources',
  'prompts?server=workbench&name=greet',
  'tools?server=gallery&name=forms',
  'tools?server=gallery&name=think',
  'resources?server=gallery&name=count%3A%2F%2Fa',
  'prompts?server=gallery&name=travel',
  'logs?server=gallery',
  'latency',
  'stderr?server=workbench',
  'problems',
  'clients',
  'wire?client=client%201',
];

/** Opens the view, and waits until it is idle. */
async function settle(page: Page, view: string): Promise<void> {
  await goTo(page, `#/${view}`);
  await page.locator(`main.view-${view.split('?')[0]} h1`).waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle').catch(() => undefined); // the live stream stays busy
}

/** Colours depend on the theme and positions on the width: a usual run covers each of them. */
const looks = usually(
  [
    { colorScheme: 'light', width: 1440 },
    { colorScheme: 'dark', width: 400 },
  ],
  ['light', 'dark'].flatMap((colorScheme) => [1440, 900, 400].map((width) => ({ colorScheme, width }))),
) as { colorScheme: 'light' | 'dark'; width: number }[];

inBrowser('looks', () => {
  test.each(looks)(
    '$colorScheme, $width px wide: is accessible, and nothing overflows',
    async ({ colorScheme, width }) => {
      const { url, host } = await openInspector('workbench', 'gallery', 'falls');
      await host.callTool('workbench', 'pollute', {});
      await host.callTool('workbench', 'fail', {});
      const client = host.clients.observe({ id: '1', principal: 'ada' }, { door: 'socket' });
      client.introduced({ revision: '2025-11-25', info: { name: 'client-with-a-long-name', version: '1.0' } });
      client.fromClient('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
      const page = await openPage(url, { colorScheme, viewport: { width, height: 800 } });
      await live(page);
      const found: string[] = [];
      for (const view of views) {
        await settle(page, view);
        if (view.endsWith('fail') || view.endsWith('think'))
          await page.getByRole('button', { name: 'Call', exact: true }).click();
        await page.evaluate('new Promise((done) => setTimeout(done, 300))'); // time for transitions and plots
        found.push(...(await violationsAndOverflow(page)).map((violation) => `${view}: ${violation}`));
      }
      await page.keyboard.press('?');
      found.push(...(await violations(page)).map((violation) => `keys: ${violation}`));
      expect(found).toEqual([]);
    },
  );

  test('the theme follows the system until the user chooses one, which is remembered', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(url, { colorScheme: 'dark' });
    await live(page);
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const dark = await ground();
    await page.emulateMedia({ colorScheme: 'light' });
    await soon(ground).not.toBe(dark);
    await page.getByRole('button', { name: 'Use the dark theme' }).click();
    expect(await ground()).toBe(dark);
    await page.reload();
    expect(await ground()).toBe(dark);
  });

  test('shows the details as a sheet over the timeline at 400 px', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(`${url}#/wire?event=3`, { viewport: { width: 400, height: 800 } });
    const sheet = await page.locator('#detail').boundingBox();
    expect(sheet!.width).toBeGreaterThan(390);
    expect(sheet!.y).toBeGreaterThan(200);
  });
});
