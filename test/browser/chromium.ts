// Chromium, the one that `npm test` finds or installs; and the pages that tests open in it. A page that logs
// an error or breaks the policy it was served with fails its test, unless the test expects that.

import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { findChromium } from '../../scripts/chromium.mjs';
import { later } from '../fixtures/later.ts';

const found = findChromium();
const skips = !found && process.env.STANDPIPE_SKIP_BROWSER !== undefined;

const flags = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update'],
];

/** A suite that needs a browser. Only STANDPIPE_SKIP_BROWSER leaves it out. */
export function inBrowser(name: string, suite: () => void): void {
  describe.skipIf(skips)(skips ? `${name} (left out: no Chromium, and STANDPIPE_SKIP_BROWSER is set)` : name, suite);
}

let browser: Browser | undefined;

async function launch(): Promise<Browser> {
  if (!found) {
    throw new Error(
      'No Chromium. Install it (apt-get install chromium), name it in STANDPIPE_CHROMIUM, or set STANDPIPE_SKIP_BROWSER',
    );
  }
  browser ??= await chromium.launch({ executablePath: found, args: flags });
  return browser;
}

export interface PageOptions extends BrowserContextOptions {
  /** Complaints of the browser that the test brings about itself. */
  expects?: RegExp;
}

export async function openPage(url: string, { expects, ...options }: PageOptions = {}): Promise<Page> {
  const context = await (await launch()).newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  const complain = (text: string) => {
    if (!expects?.test(text)) complaints.push(text);
  };
  page.on('console', (message) => message.type() === 'error' && complain(message.text()));
  page.on('pageerror', (error) => complain(String(error)));
  page.on('request', (request) => {
    if (!/^(?:http:\/\/127\.0\.0\.1:|data:|blob:)/.test(request.url())) complain(`asked for ${request.url()}`);
  });
  later(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });
  await page.goto(url);
  return page;
}

afterAll(async () => {
  await browser?.close();
  browser = undefined;
});
