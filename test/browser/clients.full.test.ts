// The clients of a host on the page: the list, the filter, and a request with the frames of the server that answered it.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { recordingSource } from '../../src/app/inspector/sources/recording-source.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import type { Host } from '../../src/host/host.ts';
import { Analysis } from '../../src/observe/analysis/analysis.ts';
import { linkedWith } from '../../src/observe/analysis/links.ts';
import { later } from '../fixtures/later.ts';
import { inBrowser, openPage, savedFile } from './chromium.ts';
import { detail, goTo, live, rows, soon } from './on-page.ts';
import { openInspector } from './target.ts';

async function connected(host: Host, name: string, isModern: boolean) {
  const serving = await serveHttp((server) => host.service(server), { observeClient: host.clients.observe });
  later(() => serving.close());
  const client = new Client(
    { name, version: '1.2' },
    isModern ? { versionNegotiation: { mode: 'auto' } } : { supportedProtocolVersions: ['2025-06-18'] },
  );
  const requestInit = { headers: { authorization: `Bearer ${serving.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${serving.url}/workbench`), { requestInit }));
  later(() => client.close());
  return { client, token: serving.token! };
}

inBrowser('clients', () => {
  test('are listed, filter the wire, and are shown as one exchange with the server', async () => {
    const { url, host } = await openInspector('workbench', 'calculator');
    const page = await openPage(url);
    await live(page);
    const modern = await connected(host, 'cursor', true);
    const legacy = await connected(host, 'claude', false);
    await modern.client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
    await legacy.client.callTool({ name: 'fail', arguments: {} });
    await host.callTool('workbench', 'add', { a: 3, b: 4 });

    await page.keyboard.press('9');
    const listed = page.getByRole('table').getByRole('row');
    const cursor = listed.filter({ hasText: /cursor \(\d+\)/ });
    await cursor.filter({ hasText: '2026-07-28' }).filter({ hasText: 'last request' }).waitFor();
    const claude = listed.filter({ hasText: /claude \(\d+\)/ }).filter({ hasText: '2025-06-18' });
    await claude.filter({ hasText: 'owner' }).filter({ hasText: 'connected' }).locator('.bad-text').waitFor();

    await claude.getByRole('link', { name: 'Wire' }).click();
    await soon(() => rows(page).filter({ hasText: 'fail' }).count()).toBe(4);
    const chosen = await page.getByLabel('Client', { exact: true }).inputValue();
    expect(chosen).toMatch(/^client \d+$/);
    expect(await rows(page).filter({ hasText: 'add' }).count()).toBe(0);
    expect(await rows(page).filter({ hasText: 'led to' }).count()).toBe(0);

    await rows(page).filter({ hasText: 'fail' }).first().click();
    const bars = detail(page).getByRole('region', { name: 'Exchange' }).getByRole('button');
    await soon(() => bars.count()).toBe(2);
    await bars.first().and(page.locator('[aria-current="true"]')).waitFor();
    for (const part of ['host, before', 'server', 'host, after']) {
      await detail(page).getByRole('term').getByText(part, { exact: true }).first().waitFor();
    }
    await bars.nth(1).click();
    await detail(page).getByText('on behalf of').waitFor();
    await page.locator('#timeline').focus();
    await page.keyboard.press('x');
    await detail(page).getByText('→ from the client').waitFor();

    await goTo(page, `#/wire?client=${encodeURIComponent(chosen)}`);
    await soon(() => rows(page).filter({ hasText: 'fail' }).count()).toBe(4);
    await page.getByRole('button', { name: 'Export' }).click();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Save/ }).click();
    const saved = recordingSource(await savedFile(await saving));
    await saved.open!();
    const analysis = new Analysis();
    for (const event of saved.flow.since(0)) analysis.see(event, 0);
    const call = saved.flow
      .since(0)
      .flatMap(({ seq }) => analysis.exchangesOf(seq))
      .find(({ tool }) => tool === 'fail')!;
    expect(linkedWith(call).map(({ server }) => server)).toEqual([chosen, 'workbench']);

    await goTo(page, '#/wire?server=calculator');
    await soon(() => page.getByLabel('Server', { exact: true }).inputValue()).toBe('calculator');
    expect(await page.getByLabel('Server', { exact: true }).textContent()).not.toContain('client');
    const everything = await page.evaluate(
      "fetch('api/events', { headers: { 'x-standpipe-token': localStorage.getItem('standpipe-token') } }).then((answer) => answer.text())",
    );
    expect(everything).toContain('cursor 1.2 (2026-07-28)');
    for (const { token } of [modern, legacy]) expect(everything).not.toContain(token);
  });
});
