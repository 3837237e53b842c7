// Calls of the page at a host in another process: their frames, and the mark of the own requests of the page.

import { expect, test } from 'vitest';
import { inBrowser, openPage } from './chromium.ts';
import { goTo, live, openTool, rows, soon } from './on-page.ts';
import { hostElsewhere } from './running-tap.ts';

inBrowser('a host in another process', () => {
  test('a call has its frames, and its violations of the output schema', async () => {
    const { url } = await hostElsewhere();
    const page = await openPage(url, { viewport: { width: 1440, height: 900 } });
    await live(page);
    await openTool(page, 'breach', 'gallery');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const result = page.getByRole('region', { name: 'Result', exact: true });
    await result.getByText(/sum must be number/).waitFor();
    await result.getByRole('link', { name: /^Answer #/ }).waitFor();
    const dock = page.getByRole('complementary', { name: 'Protocol' });
    await soon(() => dock.locator('.dock-frame').count()).toBe(2);
    await goTo(page, '#/wire?method=tools/call&direction=toServer');
    await rows(page).filter({ hasText: 'by this page' }).first().waitFor();
    expect(await rows(page).count()).toBe(1);
  });
});
