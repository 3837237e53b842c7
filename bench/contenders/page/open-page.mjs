// The page of the Inspector in Chromium, served by `standpipe inspect`. Browser and server end with `close`, or with
// the process that opened them.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { findChromium } from '../../../scripts/chromium.mjs';
import { cliPath } from '../cli/path.mjs';

const endWithParent = new URL('../cli/end-with-parent.mjs', import.meta.url).href;
const flags = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
const LIMIT_MS = 100_000;

/** `address` is that of the view `hash`; the page is not loaded yet. */
export async function openPage({ words, hash, env = {} }) {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('Chromium was not found');
  const inspector = spawn(process.execPath, ['--import', endWithParent, cliPath, 'inspect', '--no-open', ...words], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  const ended = once(inspector, 'close');
  const browser = await chromium.launch({ executablePath, args: flags });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(LIMIT_MS);
  return {
    page,
    address: `${await firstAddress(inspector)}${hash}`,
    async close() {
      await browser.close();
      inspector.kill('SIGTERM');
      await ended;
    },
  };
}

async function firstAddress({ stdout }) {
  for await (const line of createInterface({ input: stdout })) {
    if (line.startsWith('http://')) return line.trim();
  }
  throw new Error('standpipe inspect ended without an address');
}
