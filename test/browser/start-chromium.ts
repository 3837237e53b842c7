// Starts Chromium for the browser tests of a run: one for each worker that needs it, because all pages of a Chromium share a clipboard. A
// run without browser tests does not start Chromium and does not load Playwright.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserServer } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { findChromium } from '../../scripts/chromium.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Answers a GET for a number with the address of the Chromium of a worker, and for `blank` with a page. Undefined if Chromium was not
     * found.
     */
    chromiums?: string;
  }
}

const flags = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update'],
];

async function launch(executablePath: string): Promise<BrowserServer> {
  const { chromium } = await import('playwright-core');
  return chromium.launchServer({ executablePath, args: flags });
}

export default async function serveChromiums({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const executablePath = findChromium();
  if (!executablePath) return undefined;
  const started = new Map<string, Promise<BrowserServer>>();
  const server = createServer(async ({ url = '' }, response) => {
    // A page of the site that tests visit: for about:blank, Chromium would start another process.
    if (!/^\/\d+$/.test(url)) return response.setHeader('content-type', 'text/html').end('<!doctype html>');
    try {
      if (!started.has(url)) started.set(url, launch(executablePath));
      response.end((await started.get(url))!.wsEndpoint());
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  provide('chromiums', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    for (const each of await Promise.allSettled(started.values())) {
      if (each.status === 'fulfilled') await each.value.close();
    }
  };
}
