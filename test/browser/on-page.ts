// Actions of a user on the page, by visible text.

import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Expects a condition within a minute, which is sufficient on a busy machine. */
export function soon<T>(look: () => T) {
  return expect.poll(look, { timeout: 60_000 });
}

export function live(page: Page): Promise<void> {
  return page.locator('.connection.live, .connection.complete').waitFor();
}

/** Opens another view, and waits for its heading: until then, the page still has the rows of the previous view. */
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

/** Calls the tool with the content of its form, and waits for the end of the call. */
export async function call(page: Page, name: string): Promise<Locator> {
  await openTool(page, name);
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  const result = page.getByRole('region', { name: 'Result' });
  await result.locator('.outcome:not(.busy)').waitFor();
  return result;
}

/** Rendered rows of the timeline. */
export function rows(page: Page): Locator {
  return page.locator('.timeline .rows .row');
}

export function detail(page: Page): Locator {
  return page.locator('#detail');
}
