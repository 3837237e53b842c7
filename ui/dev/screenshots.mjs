// Takes the pictures of docs/screenshots: each view, light and dark, with real servers behind it.
// Needs `npm run build && npm run build:ui` and Chromium.

import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { Host } from '../../dist/host/host.js';
import { inspectorInputs } from '../../dist/inspector/calls/questions.js';
import { startInspector } from '../../dist/inspector/server.js';
import { hostSource } from '../../dist/inspector/sources/host-source.js';
import { configOf } from './server-config.mjs';

const target = fileURLToPath(new URL('../../docs/screenshots', import.meta.url));
const cwd = fileURLToPath(new URL('../../test/browser/servers', import.meta.url));
const script = (name, file) => configOf(name, file, { command: 'node', cwd });

const questions = inspectorInputs();
const host = new Host(
  [script('kitchen', 'workbench.mjs'), script('notes', 'workbench.mjs'), script('oven', 'falls.mjs')],
  {
    inputs: questions.inputs,
  },
);
await host.start().catch(() => undefined); // the oven falls, as it should
const inspector = await startInspector(hostSource(host, { title: 'mcp.json', questions }), { port: 0 });
await traffic();

mkdirSync(target, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.STANDPIPE_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
});
for (const colorScheme of ['light', 'dark']) await takeAll(colorScheme);
await browser.close();
await inspector.close();
await host.stop();

/** A crash is part of the picture. */
function call(server, tool, args) {
  return host.callTool(server, tool, args).catch(() => undefined);
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
  await page.goto(inspector.url);
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
