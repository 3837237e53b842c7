// How many rows of the timeline are in the page at once. What a task of the page costs grows with them, so that they must not
// grow with the events. How long the tasks are is measured by the bench.

import type { Page } from 'playwright-core';
import { later } from '../fixtures/later.ts';

const counter = `(() => {
  globalThis.mostRowsDrawn = 0;
  new MutationObserver(() => {
    const drawn = document.querySelectorAll('.timeline .rows .row').length;
    globalThis.mostRowsDrawn = Math.max(globalThis.mostRowsDrawn, drawn);
  }).observe(document, { childList: true, subtree: true });
})()`;

/** Counts in every document that the page opens from now on. */
export async function countDrawnRows(page: Page): Promise<() => Promise<number>> {
  const script = await page.addInitScript(counter);
  later(() => script.dispose());
  return () => page.evaluate<number>('globalThis.mostRowsDrawn');
}
