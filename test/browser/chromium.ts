// Pages for tests, in the Chromium of the worker (start-chromium.ts). A page that logs an error or violates its policy fails its test,
// unless the test expects it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Download, type Page } from 'playwright-core';
import { describe, expect, inject } from 'vitest';
import { later } from '../fixtures/later.ts';

const chromiums = inject('chromiums');
const skips = !chromiums && process.env.STANDPIPE_SKIP_BROWSER !== undefined;

/** A suite that needs a browser. It is skipped only if STANDPIPE_SKIP_BROWSER is set. */
export function inBrowser(name: string, suite: () => void): void {
  describe.skipIf(skips)(skips ? `${name} (left out: no Chromium, and STANDPIPE_SKIP_BROWSER is set)` : name, suite);
}

/**
 * State that the test files of a worker share, because each loads this module again. Reused, because a new page costs Chromium three
 * processes.
 */
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
  /** Errors of the browser that the test causes. */
  expects?: RegExp;
  colorScheme?: 'light' | 'dark';
  viewport?: { width: number; height: number };
  /** Opens a separate page, in which tests can run scripts although its policy forbids them. */
  bypassCSP?: boolean;
}

export async function openPage(url: string, options: PageOptions = {}): Promise<Page> {
  const { expects, colorScheme = 'light', viewport = { width: 1280, height: 800 }, bypassCSP } = options;
  const page = bypassCSP ? await newPage({ bypassCSP }) : (kept.page ?? (await newPage()));
  delete kept.page; // a second page of the same test must be a new one
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

/** Resets the page for the next test. Resolves to false if the page was closed instead. */
async function leave(page: Page): Promise<boolean> {
  const context = page.context();
  try {
    for (const other of context.pages()) if (other !== page) await other.close();
    page.removeAllListeners();
    await page.unrouteAll();
    await context.setOffline(false);
    await page.evaluate('localStorage.clear(); sessionStorage.clear()').catch(() => undefined); // a page of a file has no storage
    await page.goto(`${chromiums}/blank`);
    await context.clearCookies();
    page.setDefaultTimeout(60_000);
    return true;
  } catch {
    await context.close();
    return false;
  }
}

/** Saves a download until the end of the test, and resolves to its path. */
export async function savedFile(download: Download): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'standpipe-download-'));
  later(async () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'saved');
  await download.saveAs(file);
  return file;
}
