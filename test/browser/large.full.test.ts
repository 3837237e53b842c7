// Many events: the page requests a part of them at a time, and renders only visible rows.

import { expect, test } from 'vitest';
import { filter, pressKeys, scrollAbout, search } from '../../ui/dev/page-steps.mjs';
import { usually } from '../fixtures/repetitions.ts';
import { inBrowser, openPage } from './chromium.ts';
import { countDrawnRows } from './drawn-rows.ts';
import { live, rows, soon } from './on-page.ts';
import { openInspector, openRecording } from './target.ts';

const EVENTS = usually(8_000, 200_000);
const all = EVENTS.toLocaleString('en');
const MOST_DRAWN = 80;
const ROWS_A_REQUEST = 2_000;
const CALLS = usually(50, 150);

inBrowser('many events', () => {
  test(`a recording of ${all} loads, scrolls, searches, filters and handles keys, and renders only visible rows`, async () => {
    const { url } = await openRecording(EVENTS);
    const page = await openPage('about:blank');
    page.setDefaultTimeout(300_000);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    const mostDrawn = await countDrawnRows(page);
    const figures = () => page.locator('.figures').textContent();

    await page.goto(`${url}#/wire`);
    await page.locator('.connection.complete').waitFor();
    await soon(figures).toBe(`${all} events`);
    expect(requests.filter((path) => path === '/api/events')).toHaveLength(EVENTS / ROWS_A_REQUEST);

    await scrollAbout(page);
    await search(page, EVENTS);
    await soon(figures).toMatch(usually(/^7,[6-9]\d\d of /, /^19\d,\d+ of /)); // all events except stray output and stderr
    await filter(page);
    await pressKeys(page);
    expect(await mostDrawn()).toBeLessThan(MOST_DRAWN);
  }, 600_000);

  test('shows every event of a busy server, and renders only visible rows', async () => {
    const { url, host } = await openInspector('workbench');
    const page = await openPage('about:blank');
    page.setDefaultTimeout(300_000);
    const mostDrawn = await countDrawnRows(page);
    await page.goto(`${url}#/wire`);
    await live(page);
    const callers = Array.from({ length: 32 }, async (_, caller) => {
      for (let at = 0; at < CALLS; at++) await host.callTool('workbench', 'echo', { text: `plate ${caller}-${at}` });
    });
    await Promise.all(callers);
    await soon(() => page.locator('.figures').textContent()).toBe(`${host.flow.lastSeq.toLocaleString('en')} events`);
    const last = rows(page).last();
    expect(await last.getAttribute('aria-rowindex')).toBe(String(host.flow.lastSeq + 1));
    expect(await mostDrawn()).toBeLessThan(MOST_DRAWN);
  }, 600_000);
});
