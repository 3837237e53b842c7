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

/** The examples of ext-apps, by the names of their entries. */
const examples = { clock: 'basic-vanillajs', budget: 'budget-allocator', monitor: 'system-monitor' };

function entryOf(example: string) {
  const index = new URL('index.js', import.meta.resolve(`@modelcontextprotocol/server-${example}`));
  return { command: process.execPath, args: [fileURLToPath(index), '--stdio'] };
}

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
  const entries = Object.entries(examples).map(([name, example]) => [name, entryOf(example)]);
  const config = writeConfig('apps.json', { ...Object.fromEntries(entries), shop: fixtureServer });
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

const cases = (server: keyof typeof examples, tool: string, uri: string) =>
  (['auto', 'legacy'] as const).flatMap((mode) => [
    { mode, path: `/${server}`, tool, uri: `ui://${uri}` },
    { mode, path: '', tool: `${server}__${tool}`, uri: `ui://${server}/${uri}` },
  ]);

/** Calls the tool, and shows its view with the result. */
async function show({ mode, path, tool, uri }: ReturnType<typeof cases>[number]) {
  const { url, token } = await gateway();
  const page = await openPage(site);
  const calls = callsOf(page);
  await page.waitForFunction('window.showApp');
  const args = [url + path, token, tool, mode].map((each) => JSON.stringify(each));
  const shown = await page.evaluate<{ text: string }>(`showApp(${args.join()})`);
  expect(shown).toMatchObject({ uri, mimeType: 'text/html;profile=mcp-app' });
  return { view: page.frameLocator('#view'), calls, text: shown.text };
}

inBrowser('the official bridge', () => {
  test.each(cases('clock', 'get-time', 'get-time/mcp-app.html'))(
    'shows a view from "$path" that calls a tool by its own name ($mode)',
    async (given) => {
      const { view, calls, text } = await show(given);
      const time = view.locator('#server-time');
      await expect.poll(() => time.textContent()).toBe(text);

      await view.getByRole('button', { name: 'Get Server Time' }).click();
      await expect.poll(() => time.textContent()).not.toBe(text);
      expect(calls.map(({ name }) => name)).toEqual([given.tool, 'get-time']);
      expect(await calls[1]!.text()).toContain(await time.textContent());
    },
  );

  test.each(cases('monitor', 'get-system-info', 'system-monitor/mcp-app.html'))(
    'shows a view from "$path" that calls a tool which is only for views ($mode)',
    async (given) => {
      const { view, calls, text } = await show(given);
      await expect.poll(() => view.locator('#info-hostname').textContent()).toBe(JSON.parse(text).hostname);
      const memory = view.locator('#memory-percent');
      await expect.poll(() => memory.textContent()).toMatch(/^\d+%$/);
      expect(calls.slice(0, 2).map(({ name }) => name)).toEqual([given.tool, 'poll-system-stats']);
      expect(await calls[1]!.text()).toContain('usedPercent');
    },
  );

  test.each(cases('budget', 'get-budget-data', 'budget-allocator/mcp-app.html'))(
    'shows a view from "$path" with the structured content of its tool ($mode)',
    async (given) => {
      const { view, calls } = await show(given);
      const sliders = view.locator('#sliders-container input[type=range]');
      await expect.poll(() => sliders.count()).toBe(5);
      expect(calls.map(({ name }) => name)).toEqual([given.tool]);
    },
  );
});
