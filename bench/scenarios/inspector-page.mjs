// The longest task of the Inspector's page while it loads a long recording, and while a user works with it. Pauses
// above 100 ms are noticeable.

import { join } from 'node:path';
import { largeRecording } from '../../ui/dev/large-recording.mjs';
import { filter, pressKeys, scrollAbout, search } from '../../ui/dev/page-steps.mjs';
import { longestTaskMs } from '../contenders/page/main-thread.mjs';
import { openPage } from '../contenders/page/open-page.mjs';
import { makeTempFolder } from '../temp-folder.mjs';

const EVENTS = 200_000;
const EVENTS_OF_A_QUICK_LOOK = 20_000;
const MOST_MS = 80;

const steps = [
  ['loading', load],
  ['scrolling', ({ page }) => scrollAbout(page)],
  ['searching', ({ page, events }) => search(page, events)],
  ['filtering', ({ page }) => filter(page)],
  ['answering keys', ({ page }) => pressKeys(page)],
  ['exporting', exportAll],
];

export const title = `the Inspector's page with a recording of ${EVENTS.toLocaleString('en')} events`;
export const contenders = [{ name: 'page' }];
export const metrics = steps.map(([name]) => ({ key: name, label: `longest task while ${name}, CPU ms`, digits: 0 }));

export const cases = ({ quick }) => [{ label: 'page', events: quick ? EVENTS_OF_A_QUICK_LOOK : EVENTS }];

/** Writes both recordings, so that each sample opens the one of its case. */
export async function background() {
  const { FlowStore, record } = await import('../../dist/entry/recording.js');
  const folder = makeTempFolder();
  const files = {};
  for (const events of [EVENTS, EVENTS_OF_A_QUICK_LOOK]) {
    files[events] = join(folder.path, `${events}.jsonl`);
    const { flow } = largeRecording(FlowStore, events);
    await record(flow, { file: files[events], maxFileBytes: 1e9, maxPendingBytes: 1e9 }).close();
  }
  return { shared: { files }, end: async () => folder.remove() };
}

export async function measure(_contender, { events }, { files }) {
  const { page, address, close } = await openPage({ words: [files[events]], hash: '#/wire' });
  try {
    const figures = {};
    for (const [name, act] of steps) figures[name] = await longestTaskMs(page, () => act({ page, address, events }));
    return figures;
  } finally {
    await close();
  }
}

async function load({ page, address, events }) {
  await page.goto(address);
  await page.locator('.connection.complete').waitFor();
  await page.getByText(`${events.toLocaleString('en')} events`, { exact: true }).waitFor();
}

async function exportAll({ page, events }) {
  await page.getByRole('button', { name: 'Export' }).click();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: `Save ${events.toLocaleString('en')} rows` }).click();
  await (await saving).path();
}

export const targets = steps.map(([name]) => ({
  text: `longest task while ${name}, CPU ms`,
  value: ({ median }) => median('page', 'page', name),
  atMost: MOST_MS,
}));
