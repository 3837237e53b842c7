// MCP Apps with the official SDK in a browser: an official server behind `up --http`, alone and beside another server,
// and the official bridge in a page. The view calls a tool through the gateway by its name in the server.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inBrowser, openPage } from '../browser/chromium.ts';
import { gatewayIn, startCli, stopHost, writeConfig } from '../cli/run-cli.ts';
import { fixtureServer } from '../fixtures/extensions/servers.ts';
import { later } from '../fixtures/later.ts';
import { until } from '../fixtures/server.ts';

const official = fileURLToPath(
  new URL('index.js', import.meta.resolve('@modelcontextprotocol/server-basic-vanillajs')),
);

let site: string;
const server = createServer();
beforeAll(async () => {
  const input = fileURLToPath(new URL('../fixtures/interop/apps-host.mjs', import.meta.url));
  const bundle = await rolldown({ input, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  server.on('request', ({ url }, response) => {
    const isScript = url === '/host.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(
      isScript
        ? output[0].code
        : '<!doctype html><link rel=icon href=data:,><script type=module src=/host.js></script>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function gateway(): Promise<{ url: string; token: string }> {
  const clock = { command: process.execPath, args: [official, '--stdio'] };
  const config = writeConfig('apps.json', { clock, shop: fixtureServer });
  const host = startCli(['up', '--no-inspector', '--config', config, '--http', '0', '--allow-origin', site]);
  later(() => stopHost(host));
  let log = '';
  host.stdout.on('data', (chunk) => (log += chunk));
  await until('it serves', () => gatewayIn(log) !== undefined, 60_000);
  return gatewayIn(log)!;
}

/** The names and results of the calls that the page sends to the gateway. */
function callsOf(page: Page): { name: string; text: () => Promise<string> }[] {
  const calls: ReturnType<typeof callsOf> = [];
  page.on('response', (response) => {
    const sent = response.request().postData() ?? '{}';
    const { method, params } = JSON.parse(sent);
    if (method === 'tools/call') calls.push({ name: params.name, text: () => response.text() });
  });
  return calls;
}

inBrowser('the official bridge', () => {
  test.each(
    (['auto', 'legacy'] as const).flatMap((mode) => [
      { mode, path: '/clock', tool: 'get-time', uri: 'ui://get-time/mcp-app.html' },
      { mode, path: '', tool: 'clock__get-time', uri: 'ui://clock/get-time/mcp-app.html' },
    ]),
  )('shows a view from "$path" that calls a tool of its server by name ($mode)', async ({ mode, path, tool, uri }) => {
    const { url, token } = await gateway();
    const page = await openPage(site);
    const calls = callsOf(page);
    const show = `showApp(${[url + path, token, tool, mode].map((each) => JSON.stringify(each)).join()})`;
    await page.waitForFunction('window.showApp');
    const shown = await page.evaluate<{ text: string }>(show);
    expect(shown).toMatchObject({ uri, mimeType: 'text/html;profile=mcp-app' });
    const time = page.frameLocator('#view').locator('#server-time');
    await expect.poll(() => time.textContent()).toBe(shown.text);

    await page.frameLocator('#view').getByRole('button', { name: 'Get Server Time' }).click();
    await expect.poll(() => time.textContent()).not.toBe(shown.text);
    expect(calls.map(({ name }) => name)).toEqual([tool, 'get-time']);
    expect(await calls[1]!.text()).toContain(await time.textContent());
  });
});
