// The pages that tests open in the Chromium of their worker (start-chromium.ts). A page that logs an error or breaks the
// policy it was served with fails its test, unless the test expects that.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Download, type Page } from 'playwright-core';
import { afterAll, describe, expect, inject } from 'vitest';
import { later } from '../fixtures/later.ts';

const chromiums = inject('chromiums');
const skips = !chromiums && process.env.STANDPIPE_SKIP_BROWSER !== undefined;

/** A suite that needs a browser. Only STANDPIPE_SKIP_BROWSER leaves it out. */
export function inBrowser(name: string, suite: () => void): void {
  describe.skipIf(skips)(skips ? `${name} (left out: no Chromium, and STANDPIPE_SKIP_BROWSER is set)` : name, suite);
}

let browser: Browser | undefined;

async function connect(): Promise<Browser> {
  if (!chromiums) {
    throw new Error(
      'No Chromium. Install it (apt-get install chromium), name it in STANDPIPE_CHROMIUM, or set STANDPIPE_SKIP_BROWSER',
    );
  }
  if (browser) return browser;
  const answer = await fetch(`${chromiums}/${process.env.VITEST_POOL_ID}`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`Chromium did not start: ${text}`);
  browser = await chromium.connect(text);
  return browser;
}

export interface PageOptions extends BrowserContextOptions {
  /** Complaints of the browser that the test brings about itself. */
  expects?: RegExp;
}

export async function openPage(url: string, { expects, ...options }: PageOptions = {}): Promise<Page> {
  const context = await (await connect()).newContext({
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

/** Until the end of the test. */
export async function savedFile(download: Download): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'standpipe-download-'));
  later(async () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'saved');
  await download.saveAs(file);
  return file;
}

afterAll(async () => {
  await browser?.close();
  browser = undefined;
});
