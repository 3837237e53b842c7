import { expect, test } from 'vitest';
import { inBrowser, openPage } from './chromium.ts';
import { call, detail, goTo, live, rows, soon } from './on-page.ts';
import { addressIn, openInspector } from './target.ts';

inBrowser('the wire view', () => {
  test('shows frames, stray output, stderr and lifecycle in order, as they happen', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(url);
    await live(page);
    await call(page, 'pollute');
    await goTo(page, '#/wire');
    await page.locator('.row.g-noise', { hasText: 'DEBUG: connected to database' }).waitFor();
    await page.locator('.row.g-stderr', { hasText: 'somebody prints' }).waitFor();
    await page.getByRole('button', { name: 'lifecycle' }).click();
    await page.locator('.row.g-lifecycle', { hasText: 'started as process' }).waitFor();
    expect(await page.locator('.row.g-request').count()).toBe(0);
  });

  test('pairs requests with answers: latency on both, and a jump between them', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(url);
    await live(page);
    await call(page, 'fail');
    await goTo(page, '#/wire?method=tools/call');
    await soon(() => rows(page).count()).toBe(2);
    const [request, answer] = [rows(page).nth(0), rows(page).nth(1)];
    expect(await answer.locator('.c5').textContent()).toMatch(/(?:ms|µs)$/);
    expect(await answer.locator('.c3').textContent()).toContain('fail');
    await request.click();
    await soon(() => answer.getAttribute('class')).toContain('pair');
    await page.keyboard.press('p');
    await soon(() => answer.getAttribute('aria-selected')).toBe('true');
    await detail(page).getByText('The oven is cold.').waitFor();
    await detail(page)
      .getByRole('button', { name: /^Request #/ })
      .click();
    await soon(() => request.getAttribute('aria-selected')).toBe('true');
  });

  test('shows an event as JSON, text and bytes', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(addressIn({ url } as never, '#/wire?method=initialize'));
    await page.locator('.row.g-request').first().click();
    await detail(page).getByText('protocolVersion').first().waitFor();
    await detail(page).getByRole('tab', { name: 'Text' }).click();
    await detail(page).getByText('{"jsonrpc":"2.0"').waitFor();
    await detail(page).getByRole('tab', { name: 'Hex' }).click();
    await detail(page).getByText('7b 22 6a 73 6f 6e').waitFor(); // {"json
  });

  test('explains stray output in its details', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(url);
    await live(page);
    await call(page, 'pollute');
    await goTo(page, '#/wire?kinds=noise');
    await rows(page).first().click();
    await detail(page).locator('.note').first().waitFor();
    expect(await detail(page).textContent()).toMatch(/stdout/);
  });

  test('filters by server, direction, error, latency and text, and keeps the filter in the address', async () => {
    const { url } = await openInspector('workbench', 'hostile');
    const page = await openPage(url);
    await live(page);
    await call(page, 'fail');
    await goTo(page, '#/wire');
    await page.getByLabel('Server').selectOption('workbench');
    await page.getByLabel('Direction').selectOption('toServer');
    await page.getByLabel('Find in the timeline').fill('fail');
    await soon(() => rows(page).count()).toBe(1);
    await soon(() => page.url()).toContain('q=fail');
    await page.reload();
    await soon(() => rows(page).count()).toBe(1);
    await page.getByRole('button', { name: 'Clear' }).click();
    await soon(() => rows(page).count()).toBeGreaterThan(5);
    await page.getByLabel('errors only').check();
    await soon(async () =>
      (await rows(page).allTextContents()).every((row) => /error|not found|noise|-326/i.test(row)),
    ).toBe(true);
    await page.getByLabel('errors only').uncheck();
    await page.getByLabel('slower than').fill('60000');
    await page.getByText('No events match the filter').waitFor();
  });

  test('opens at an event by its link', async () => {
    const { url, host } = await openInspector('workbench');
    const page = await openPage(`${url}#/wire?event=3`);
    await detail(page).getByText('#3', { exact: true }).waitFor();
    expect(host.flow.get(3)).toBeDefined();
  });

  test('pauses and continues without losing events', async () => {
    const { url, host } = await openInspector('workbench');
    const page = await openPage(`${url}#/wire`);
    await live(page);
    await rows(page).first().waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await host.callTool('workbench', 'echo', { text: 'while paused' });
    await page.getByRole('button', { name: /Paused · \d+ new/ }).waitFor();
    expect(await rows(page).filter({ hasText: 'while paused' }).count()).toBe(0);
    await page.getByRole('button', { name: /Paused/ }).click();
    await rows(page).filter({ hasText: 'while paused' }).first().waitFor();
  });

  test('copies a call as a command line', async () => {
    const { url, host } = await openInspector('workbench');
    await host.callTool('workbench', 'echo', { text: "it's", times: 2 });
    const page = await openPage(`${url}#/wire?q=echo&direction=toServer`);
    await rows(page).last().click();
    await detail(page).getByRole('button', { name: 'Copy as standpipe call' }).click();
    await page.getByText('Command copied').waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(`standpipe call workbench echo 'text=it'\\''s' times:=2`);
  });

  test('shows a large answer without rendering all of it', async () => {
    const { url, host } = await openInspector('workbench');
    await host.callTool('workbench', 'large', { kilobytes: 600 });
    const page = await openPage(`${url}#/wire?method=tools/call`);
    await rows(page).last().click();
    await detail(page).getByRole('tab', { name: 'Hex' }).click();
    await detail(page).locator('.hex-line').first().waitFor();
    expect(await detail(page).locator('.hex-line').count()).toBeLessThan(100);
    await detail(page).getByRole('tab', { name: 'Text' }).click();
    await detail(page)
      .getByRole('button', { name: /^Show more/ })
      .waitFor();
  });

  test('the details can be resized by pointer and by keyboard, and keep their width', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(`${url}#/wire?event=3`);
    const width = async () => Math.round((await detail(page).boundingBox())!.width);
    const before = await width();
    const bar = page.getByRole('separator', { name: 'Width of the details' });
    await bar.focus();
    await page.keyboard.press('ArrowLeft');
    await soon(width).toBe(before + 24);
    const { x, y } = (await bar.boundingBox())!;
    await page.mouse.move(x + 2, y + 100);
    await page.mouse.down();
    await page.mouse.move(x - 98, y + 100, { steps: 4 });
    await page.mouse.up();
    await soon(width).toBeGreaterThan(before + 100);
    const after = await width();
    await page.reload();
    await soon(width).toBe(after);
  });
});
