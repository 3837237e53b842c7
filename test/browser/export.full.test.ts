// Exporting rows of the timeline as files.

import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { EventRow } from '../../src/app/inspector/api.ts';
import { type RecordingItem, readRecording } from '../../src/observe/record/reader.ts';
import { usually } from '../fixtures/repetitions.ts';
import { inBrowser, openPage, savedFile } from './chromium.ts';
import { live, rows, soon } from './on-page.ts';
import { openInspector, openRecording } from './target.ts';

async function save(page: Page, button: string): Promise<string> {
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).click();
  return savedFile(await saving);
}

async function recordedIn(file: string) {
  const items: RecordingItem[] = [];
  for await (const item of readRecording(file)) items.push(item);
  return items;
}

inBrowser('exporting', () => {
  test('saves the filtered rows as a recording, with their bytes', async () => {
    const { url, host } = await openInspector('workbench');
    await host.callTool('workbench', 'echo', { text: 'keep me' });
    const page = await openPage(`${url}#/wire?method=tools/call`);
    await soon(() => rows(page).count()).toBe(2);
    await page.getByRole('button', { name: 'Export' }).click();
    const [run, request, answer] = await recordedIn(await save(page, 'Save 2 rows'));
    expect(run).toMatchObject({
      type: 'run',
      run: { startedAt: host.flow.startedAt, about: { exportedFrom: 'kitchen' } },
    });
    for (const [item, direction] of [
      [request, 'toServer'],
      [answer, 'fromServer'],
    ] as const) {
      const event = item?.type === 'event' && item.event.kind === 'frame' ? item.event : undefined;
      expect(event).toMatchObject({ direction, server: 'workbench' });
      expect(JSON.parse(Buffer.from(event!.payload).toString())).toMatchObject({ jsonrpc: '2.0' });
      expect(Buffer.from(event!.payload).toString()).toContain('keep me');
    }
    await page.getByText('2 rows saved').waitFor();
  });

  test('saves the selected rows as text', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(`${url}#/wire`);
    await live(page);
    await rows(page).nth(1).click();
    await rows(page)
      .nth(3)
      .click({ modifiers: ['Shift'] });
    await page.keyboard.press('e');
    await page.getByLabel('the text of the rows').check();
    const lines = readFileSync(await save(page, 'Save 3 rows'), 'utf8')
      .trim()
      .split('\n');
    expect(lines.map((line) => (JSON.parse(line) as EventRow).seq)).toEqual([2, 3, 4]);
  });

  const many = usually(20_000, 200_000);
  test(`${many} rows are saved completely`, async () => {
    const { url } = await openRecording(many);
    const page = await openPage(`${url}#/wire`);
    page.setDefaultTimeout(300_000);
    await page.locator('.connection.complete').waitFor();
    await soon(() => page.locator('.figures').textContent()).toBe(`${many.toLocaleString('en')} events`);
    await page.getByRole('button', { name: 'Export' }).click();
    const items = await recordedIn(await save(page, `Save ${many.toLocaleString('en')} rows`));
    expect(items.filter(({ type }) => type !== 'event').map(({ type }) => type)).toEqual(['run']);
    expect(items).toHaveLength(many + 1);
    const last = items.at(-1);
    expect(
      last?.type === 'event' && last.event.kind === 'frame' && last.event.length === last.event.payload.length,
    ).toBe(true);
  }, 600_000);

  test('reports that nothing was saved if the backend has exited', async () => {
    const inspector = await openInspector('workbench');
    const page = await openPage(`${inspector.url}#/wire`, { expects: /ERR_|Failed to load/ });
    await live(page);
    await rows(page).first().waitFor();
    await inspector.close();
    await page.getByText('disconnected').waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('button', { name: /^Save \d+ rows/ }).click();
    await page.getByText('Export failed: The Inspector does not answer.').waitFor();
  });
});
