// Traffic of taps in other processes, while it passes.

import { expect, test } from 'vitest';
import { inBrowser, openPage } from './chromium.ts';
import { detail, goTo, live, rows, soon } from './on-page.ts';
import { tapBetweenHostAndServer, tapByHand } from './running-tap.ts';

inBrowser('a tap that runs', () => {
  test('shows traffic as it passes, and keeps the evidence when the server is killed', async () => {
    const { host, inspector } = await tapBetweenHostAndServer('kitchen');
    const page = await openPage(`${inspector.url}#/wire`);
    await live(page);
    await rows(page).filter({ hasText: 'initialize' }).first().waitFor();
    expect(await rows(page).filter({ hasText: 'while one watches' }).count()).toBe(0);
    await host.callTool('workbench', 'echo', { text: 'while one watches' });
    await soon(() => rows(page).filter({ hasText: 'while one watches' }).count()).toBe(2);

    const unanswered = host.callTool('workbench', 'work', { steps: 1_000, stepMs: 1_000 }).catch((error) => error);
    const asked = rows(page).filter({ hasText: 'work' }).filter({ hasText: '1000' }).last();
    await asked.waitFor();
    const started = await rows(page).filter({ hasText: 'started as process' }).first().textContent();
    process.kill(Number(/process (\d+)/.exec(started!)![1]), 'SIGKILL');
    await unanswered;
    await rows(page).filter({ hasText: 'ended by SIGKILL' }).waitFor();
    await rows(page).filter({ hasText: 'has ended' }).waitFor();
    await asked.filter({ hasText: 'never answered' }).waitFor();
    expect(await rows(page).filter({ hasText: 'while one watches' }).count()).toBe(2);
    await rows(page).filter({ hasText: 'while one watches' }).first().click();
    await detail(page).getByRole('tab', { name: 'Hex' }).click();
    await detail(page).locator('.hex-line').first().waitFor();

    await page.reload();
    await soon(() => rows(page).filter({ hasText: 'while one watches' }).count()).toBe(2);
    await goTo(page, '#/problems');
    const problems = page.locator('.problem', { hasText: 'kitchen' });
    await problems.filter({ hasText: 'Exited with an error' }).waitFor();
    await problems.filter({ hasText: 'Unanswered request' }).waitFor();
  });

  test('shows a batch as one row, and pairs its requests with their answers', async () => {
    const { write, inspector } = await tapByHand('batches', 'answers-batches');
    const clientInfo = { name: 'by hand', version: '1' };
    const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo };
    write({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    write([
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { jsonrpc: '2.0', id: 'two', method: 'tools/call', params: { name: 'echo', arguments: { text: 'together' } } },
      { jsonrpc: '2.0', id: 3, method: 'no/such' },
    ]);
    const page = await openPage(`${inspector.url}#/wire`);
    await live(page);
    const batch = rows(page).filter({ hasText: 'batch of 4' });
    await batch.filter({ hasText: 'tools/call echo' }).waitFor();
    await batch.filter({ hasText: '-32601' }).waitFor();
    const answers = rows(page).filter({ hasText: 'batch of 3' });
    await soon(() => answers.locator('.c5').textContent()).toMatch(/(?:ms|µs|s)$/);
    await soon(() => batch.locator('.c5').textContent()).toMatch(/(?:ms|µs|s)$/);

    await batch.click();
    await detail(page).getByRole('button', { name: 'Copy as standpipe call' }).click();
    await page.getByText('Copied as JSON: the command line cannot reach this server').waitFor();
    await detail(page)
      .getByRole('button', { name: /^Answer #/ })
      .click();
    await soon(() => answers.getAttribute('aria-selected')).toBe('true');
    await detail(page).getByRole('tab', { name: 'Text' }).click();
    await detail(page).getByText('together').waitFor();
    await detail(page)
      .getByRole('button', { name: /^Request #/ })
      .click();
    await soon(() => batch.getAttribute('aria-selected')).toBe('true');

    await page.getByRole('button', { name: 'responses' }).click();
    await answers.waitFor();
    expect(await batch.count()).toBe(0);
    await goTo(page, '#/wire?method=tools/call');
    await soon(() => rows(page).count()).toBe(2);
    await goTo(page, '#/latency');
    for (const name of ['tools/list', 'tools/call', 'no/such']) {
      await page.getByRole('row').filter({ hasText: name }).first().waitFor();
    }
  });
});
