// What people do on the page, by the words they see.

import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** What is to become true before long, however busy the machine is. */
export function soon<T>(look: () => T) {
  return expect.poll(look, { timeout: 60_000 });
}

export function live(page: Page): Promise<void> {
  return page.locator('.connection.live, .connection.complete').waitFor();
}

/** Opens another view, and waits for its heading: until then the rows on the page are those of the view before. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  const view = /^#\/(\w+)/.exec(hash)?.[1];
  await page.getByRole('heading', { level: 1, name: new RegExp(`^${view}$`, 'i') }).waitFor({ state: 'attached' });
}

export async function openTool(page: Page, name: string, server = 'workbench'): Promise<Locator> {
  await goTo(page, `#/tools?server=${server}&name=${name}`);
  const pane = page.locator('.call-pane form');
  await pane.waitFor();
  return pane;
}

/** Calls the tool with what its form holds, and waits for the end of the call. */
export async function call(page: Page, name: string): Promise<Locator> {
  await openTool(page, name);
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  const result = page.getByRole('region', { name: 'Result' });
  await result.locator('.outcome:not(.busy)').waitFor();
  return result;
}

/** Rows of the timeline that are drawn, as text. */
export function rows(page: Page): Locator {
  return page.locator('.timeline .rows .row');
}

export function detail(page: Page): Locator {
  return page.locator('#detail');
}
