// The pages that tests open in the Chromium of their worker (start-chromium.ts). A page that logs an error or breaks the
// policy it was served with fails its test, unless the test expects that.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Download, type Page } from 'playwright-core';
import { describe, expect, inject } from 'vitest';
import { later } from '../fixtures/later.ts';

const chromiums = inject('chromiums');
const skips = !chromiums && process.env.STANDPIPE_SKIP_BROWSER !== undefined;

/** A suite that needs a browser. Only STANDPIPE_SKIP_BROWSER leaves it out. */
export function inBrowser(name: string, suite: () => void): void {
  describe.skipIf(skips)(skips ? `${name} (left out: no Chromium, and STANDPIPE_SKIP_BROWSER is set)` : name, suite);
}

/** What the files of a worker share: they load this module anew. A new page costs Chromium three processes. */
const shared = globalThis as { browserOfTests?: { browser?: Browser; page?: Page } };
shared.browserOfTests ??= {};
const kept = shared.browserOfTests;

async function connect(): Promise<Browser> {
  if (!chromiums) {
    throw new Error(
      'No Chromium. Install it (apt-get install chromium), name it in STANDPIPE_CHROMIUM, or set STANDPIPE_SKIP_BROWSER',
    );
  }
  if (kept.browser) return kept.browser;
  const answer = await fetch(`${chromiums}/${process.env.VITEST_POOL_ID}`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`Chromium did not start: ${text}`);
  kept.browser = await chromium.connect(text);
  return kept.browser;
}

async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await (await connect()).newContext({
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  return page;
}

export interface PageOptions {
  /** Complaints of the browser that the test brings about itself. */
  expects?: RegExp;
  colorScheme?: 'light' | 'dark';
  viewport?: { width: number; height: number };
  /** A page of its own, to which scripts can be added although its policy forbids them. */
  bypassCSP?: boolean;
}

export async function openPage(url: string, options: PageOptions = {}): Promise<Page> {
  const { expects, colorScheme = 'light', viewport = { width: 1280, height: 800 }, bypassCSP } = options;
  const page = bypassCSP ? await newPage({ bypassCSP }) : (kept.page ?? (await newPage()));
  delete kept.page; // a second page of the same test is another one
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
    if (bypassCSP || kept.page) await page.context().close();
    else if (await leave(page)) kept.page = page;
    expect(complaints).toEqual([]);
  });
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(viewport);
  await page.goto(url);
  return page;
}

/** Makes it a page without a past. False if it is closed instead. */
async function leave(page: Page): Promise<boolean> {
  const context = page.context();
  try {
    for (const other of context.pages()) if (other !== page) await other.close();
    page.removeAllListeners();
    await page.unrouteAll();
    await context.setOffline(false);
    await page.evaluate('localStorage.clear(); sessionStorage.clear()').catch(() => undefined); // a page of a file has none
    await page.goto(`${chromiums}/blank`);
    await context.clearCookies();
    page.setDefaultTimeout(60_000);
    return true;
  } catch {
    await context.close();
    return false;
  }
}

/** Until the end of the test. */
export async function savedFile(download: Download): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'standpipe-download-'));
  later(async () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'saved');
  await download.saveAs(file);
  return file;
}
