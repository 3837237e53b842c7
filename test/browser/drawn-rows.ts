// Counts the rows of the timeline that are in the page at once. The cost of a task in the page grows with them, so their number must not
// grow with the number of events. The benchmark measures durations.

import type { Page } from 'playwright-core';
import { later } from '../fixtures/later.ts';

const counter = `(() => {
  globalThis.mostRowsDrawn = 0;
  new MutationObserver(() => {
    const drawn = document.querySelectorAll('.timeline .rows .row').length;
    globalThis.mostRowsDrawn = Math.max(globalThis.mostRowsDrawn, drawn);
  }).observe(document, { childList: true, subtree: true });
})()`;

/** Counts in every document that the page opens later. */
export async function countDrawnRows(page: Page): Promise<() => Promise<number>> {
  const script = await page.addInitScript(counter);
  later(() => script.dispose());
  return () => page.evaluate<number>('globalThis.mostRowsDrawn');
}
