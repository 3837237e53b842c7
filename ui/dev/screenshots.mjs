// Takes the screenshots of docs/screenshots, or writes them to another folder: each view, light and dark, with the
// servers of mcp.json. Needs `npm run build && npm run build:ui` and Chromium.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const path = (file) => fileURLToPath(new URL(file, import.meta.url));
const target = process.argv[2] ?? path('../../docs/screenshots');

const host = spawn(process.execPath, [path('../../dist/cli/main.cjs'), 'up', '--json', '--config', path('mcp.json')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [began] = await once(createInterface({ input: host.stdout }), 'line');
const address = new URL(JSON.parse(began).inspector);
await traffic();

mkdirSync(target, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.STANDPIPE_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
});
for (const colorScheme of ['light', 'dark']) await takeAll(colorScheme);
await browser.close();
host.kill('SIGTERM');

async function api(path, body) {
  const headers = { 'x-standpipe-token': address.searchParams.get('token'), 'content-type': 'application/json' };
  const request = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
  return (await fetch(new URL(`/api/${path}`, address), request)).json();
}

/** Resolves when the call has ended, even if it failed: the screenshots include a crash. */
async function call(server, name, args) {
  const { id } = await api(`servers/${server}/call`, { kind: 'tool', name, args });
  while ((await api('calls')).find((each) => each.id === id)?.state === 'running') await sleep(5);
}

async function traffic() {
  for (let at = 0; at < 40; at++) {
    await call(at % 3 ? 'kitchen' : 'notes', 'echo', { text: `plate ${at}` });
    await call('kitchen', 'add', { a: at, b: 1 });
    if (at % 8 === 0) await call('kitchen', 'work', { steps: 2, stepMs: 20 + at });
    if (at % 9 === 0) await call('notes', 'fail', {});
  }
  await call('kitchen', 'pollute', {});
  await call('kitchen', 'crash', {});
  await call('kitchen', 'echo', { text: 'back again' });
  await call('kitchen', 'pollute', {});
  await call('kitchen', 'fail', {});
  await call('notes', 'echo', { text: 'all served' });
}

async function takeAll(colorScheme) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, colorScheme });
  const page = await context.newPage();
  await page.route('**/api/overview*', async (route) => {
    const response = await route.fetch();
    const overview = await response.json();
    await route.fulfill({ response, json: { ...overview, source: { ...overview.source, title: 'mcp.json' } } });
  });
  await page.goto(address.href);
  await page.locator('.connection.live').waitFor();
  const take = async (name, hash, act = async () => undefined) => {
    await page.evaluate((address) => {
      location.hash = address;
    }, hash);
    await page.waitForTimeout(700);
    await act();
    await page.mouse.move(5, 715);
    await page.waitForTimeout(500);
    await page.screenshot({ path: `${target}/${name}-${colorScheme}.png` });
  };
  const press = (name) => page.getByRole('button', { name, exact: true }).click();
  await take('servers', '#/servers');
  await call('kitchen', 'pollute', {});
  await take('wire', '#/wire', () => page.locator('.row.g-noise').last().click());
  await take('tools', '#/tools?server=kitchen&name=order');
  await take('result', '#/tools?server=kitchen&name=show', () => press('Call'));
  await take('resources', `#/resources?server=notes&name=${encodeURIComponent('note://today')}`, () => press('Read'));
  await take('prompts', '#/prompts?server=notes&name=greet');
  await take('latency', '#/latency');
  await take('stderr', '#/stderr?server=kitchen');
  await take('problems', '#/problems');
  await take('question', '#/tools?server=kitchen&name=ask', () => press('Call'));
  await press('Decline');
  await page.setViewportSize({ width: 400, height: 800 });
  await take('narrow', '#/wire?method=tools/call', () => page.locator('.row.g-request').last().click());
  await context.close();
}
