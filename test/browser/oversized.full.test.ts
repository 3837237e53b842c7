// Messages above the limit of the transport, or above the limit of a recording.

import { expect, test } from 'vitest';
import { inBrowser, openPage } from './chromium.ts';
import { detail, goTo, live, rows, soon } from './on-page.ts';
import { tapByHand } from './running-tap.ts';
import { openInspector } from './target.ts';

/** Above the 64 MiB limit of a message. */
const TOO_MANY_KILOBYTES = 66_000;

inBrowser('a message over the limit', () => {
  test('is shown in order with its first bytes and an explanation, and ends its request', async () => {
    const { url, host } = await openInspector('workbench');
    const page = await openPage(`${url}#/wire`);
    await live(page);
    await host.callTool('workbench', 'echo', { text: 'before' });
    const refused = host.callTool('workbench', 'large', { kilobytes: TOO_MANY_KILOBYTES });
    await expect(refused).rejects.toThrow();
    await host.callTool('workbench', 'echo', { text: 'behind' });

    const fault = rows(page).filter({ hasText: 'FRAME_TOO_LONG' }).and(page.locator('.g-fault'));
    await fault.waitFor();
    await rows(page).filter({ hasText: 'behind' }).last().waitFor();
    const order = await rows(page).allTextContents();
    const place = (text: string) => order.findLastIndex((row) => row.includes(text));
    expect(place('before')).toBeLessThan(place('0123456789abcdef'));
    expect(place('0123456789abcdef')).toBeLessThan(place('behind'));
    expect(await fault.locator('.c6').textContent()).toBe('68 MB');

    await fault.click();
    await detail(page).getByText('longer than maxFrameBytes').first().waitFor();
    await detail(page).getByText('Raise the limit or send less at a time').waitFor();
    await detail(page).getByRole('tab', { name: 'Hex' }).click();
    await detail(page).getByText('7b 22 6a 73 6f 6e').waitFor(); // {"json
    await detail(page)
      .getByRole('button', { name: /^Request #/ })
      .click();
    await soon(() => rows(page).and(page.locator('.cursor')).textContent()).toContain('large');
    await goTo(page, '#/problems');
    await page.locator('.problem', { hasText: 'Message over the size limit' }).waitFor();
  });

  test('an oversized message of a tap shows its first and last bytes, and is not an error', async () => {
    const { write, inspector } = await tapByHand('kitchen', 'workbench', ['--keep-bytes', '2000']);
    const params = { name: 'echo', arguments: { text: `${'long '.repeat(1_000)}to the end` } };
    write({ jsonrpc: '2.0', id: 'long', method: 'tools/call', params });
    const page = await openPage(`${inspector.url}#/wire`);
    await live(page);
    const request = rows(page).filter({ hasText: 'echo' }).filter({ hasText: 'to the server' });
    await request.click();
    await detail(page).getByText('Too long to be stored in full').waitFor();
    await detail(page).getByText('Last bytes').waitFor();
    await detail(page)
      .getByRole('button', { name: /^Answer #/ })
      .waitFor();
    expect(await request.getAttribute('class')).not.toContain('bad');
    expect(await detail(page).locator('.note.bad').count()).toBe(0);
  });
});
