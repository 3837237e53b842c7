// Tasks in every width and theme, and thousands of tasks.

import { expect, test } from 'vitest';
import { FlowStore } from '../../src/observe/flow/store.ts';
import { inBrowser, openPage } from './chromium.ts';
import { detail, goTo, live, openTool, rows, soon } from './on-page.ts';
import { openInspector, openSource } from './target.ts';
import { taskRecording } from './task-recording.ts';
import { violationsAndOverflow } from './violations.ts';

inBrowser('tasks', () => {
  test.each([
    { colorScheme: 'light', width: 1440 },
    { colorScheme: 'dark', width: 900 },
    { colorScheme: 'dark', width: 400 },
  ] as const)('$colorScheme, $width px wide: is accessible, and nothing overflows', async ({ colorScheme, width }) => {
    const { url } = await openInspector('renders');
    const page = await openPage(url, { colorScheme, viewport: { width, height: 800 } });
    await live(page);
    const found: string[] = [];
    const look = async (place: string) => {
      found.push(...(await violationsAndOverflow(page)).map((violation) => `${place}: ${violation}`));
    };
    for (const tool of ['protocol-error', 'work', 'asks']) {
      await openTool(page, tool, 'renders');
      await page.getByRole('button', { name: 'Call', exact: true }).click();
      await page.getByRole('region', { name: 'Result' }).getByRole('link', { name: 'Task' }).waitFor();
    }
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await look('tools');
    await goTo(page, '#/tasks');
    await look('tasks');
    for (const tool of ['asks', 'protocol-error', 'work']) {
      await goTo(page, '#/tasks');
      await page
        .getByRole('navigation', { name: 'All tasks' })
        .getByRole('link', { name: new RegExp(`^${tool}`) })
        .click();
      await page.getByRole('region', { name: 'Changes of the status' }).waitFor();
      await look(tool);
    }
    await goTo(page, '#/wire');
    await rows(page).filter({ hasText: 'protocol-error' }).first().getByRole('button').click();
    await rows(page).filter({ hasText: 'protocol-error' }).nth(1).click();
    await detail(page).getByRole('region', { name: 'Task' }).waitFor();
    await look('wire');
    expect(found).toEqual([]);
  });

  test('keeps the newest of thousands of tasks, and renders few of them', async () => {
    const { url } = await openSource(taskRecording(FlowStore, { tasks: 3_000, polls: 3 }));
    const page = await openPage(`${url}#/tasks`);
    await live(page);
    const list = page.getByRole('navigation', { name: 'All tasks' });
    await list.getByText('1500 more: search for them.').waitFor();
    expect(await list.getByRole('link').count()).toBe(500);
    await page.getByLabel('Find a task').fill('task 1234');
    await soon(() => list.getByRole('link').count()).toBe(1);
    await list.getByRole('link').click();
    await page.getByRole('region', { name: 'Result' }).getByText('rendered').waitFor();
    await page.getByLabel('Find a task').fill('task 12');
    await soon(() => list.getByRole('link').count()).toBe(100); // task 1200 to task 1299: older ones were dropped
    await goTo(page, '#/wire');
    await soon(() => page.locator('#timeline').getAttribute('aria-rowcount')).toBe(String(3_000 + 2 + 1));
    expect(await rows(page).count()).toBeLessThan(100);
  });
});
