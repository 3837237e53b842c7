import { expect, test } from 'vitest';
import { inBrowser, openPage } from './chromium.ts';
import { call, goTo, live, soon } from './on-page.ts';
import { openInspector } from './target.ts';

inBrowser('the servers view', () => {
  test('shows state, pid, revision and an uptime that ticks', async () => {
    const { url, host } = await openInspector('workbench');
    const page = await openPage(url);
    const card = page.getByRole('region', { name: 'workbench', exact: true });
    await card.getByText('ready', { exact: true }).waitFor();
    const [status] = host.status();
    await card
      .getByRole('definition')
      .filter({ hasText: String(status!.pid) })
      .waitFor();
    await card.getByText('MCP 2025-11-25').waitFor();
    const uptime = card.locator('dd').nth(1);
    const before = await uptime.textContent();
    await soon(() => uptime.textContent()).not.toBe(before);
  });

  test('stops, starts and restarts a server, and reports it', async () => {
    const { url, host } = await openInspector('workbench');
    const page = await openPage(url);
    const firstPid = host.status()[0]!.pid;
    await page.getByRole('button', { name: 'Restart workbench' }).click();
    await page.getByRole('status').getByText('workbench restarted').waitFor();
    expect(host.status()[0]!.pid).not.toBe(firstPid);
    await page.getByRole('button', { name: 'Stop workbench' }).click();
    await page.getByRole('status').getByText('workbench stopped').waitFor();
    await page.locator('.state.stopped').waitFor();
    await page.getByRole('button', { name: 'Start workbench' }).click();
    await page.locator('.state.ready').waitFor();
    await page.getByText('3 process runs').waitFor();
  });

  test('asks before it stops a server that runs a call', async () => {
    const { url, host } = await openInspector('workbench');
    const page = await openPage(`${url}#/tools?server=workbench&name=work`);
    await page.getByLabel('steps').fill('100');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.locator('.outcome.busy').first().waitFor();
    await goTo(page, '#/servers');
    await page.getByRole('button', { name: 'Stop workbench' }).click();
    await page.getByText('1 call is running on this server').waitFor();
    await page.getByRole('button', { name: 'Leave it running' }).click();
    expect(host.status()[0]!.state).toBe('ready');
    await page.getByRole('button', { name: 'Stop workbench' }).click();
    await page.getByRole('button', { name: 'Stop it' }).click();
    await page.locator('.state.stopped').waitFor();
  });

  test('keeps the evidence of a crash: exit, stderr, the ended process run', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(url);
    await live(page);
    const result = await call(page, 'crash');
    await result.getByText('exited with code 3').first().waitFor();
    await goTo(page, '#/servers');
    const card = page.getByRole('region', { name: 'workbench', exact: true });
    await card.locator('summary', { hasText: 'last exit' }).click();
    await card.getByText('OvenError: no gas').first().waitFor();
    await card.getByText('2 process runs').waitFor();
    await card.getByRole('cell', { name: 'exit code 3' }).waitFor();
  });

  test('shows a server that crashes repeatedly as failed, with its last stderr', async () => {
    const { url } = await openInspector('falls');
    const page = await openPage(url);
    await page.locator('.state.failed').waitFor();
    await page.getByRole('region', { name: 'End of stderr' }).getByText('cannot open').first().waitFor();
  });
});
