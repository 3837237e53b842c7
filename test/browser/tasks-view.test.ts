import { expect, test } from 'vitest';
import { FlowStore } from '../../src/observe/flow/store.ts';
import { inBrowser, openPage } from './chromium.ts';
import { detail, goTo, live, openTool, rows, soon } from './on-page.ts';
import { openInspector, openSource } from './target.ts';
import { taskRecording } from './task-recording.ts';

inBrowser('tasks', () => {
  test('a call that becomes a task shows its status and result in Tools, and is listed with its history', async () => {
    const { url, host } = await openInspector('renders');
    const page = await openPage(url);
    await live(page);
    expect(await page.getByRole('link', { name: /^Tasks/ }).count()).toBe(0);
    await openTool(page, 'work', 'renders');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('frame 1 of 2').waitFor();
    expect(await result.getByRole('status').textContent()).toBe('working');
    await host.callTool('renders', 'release', {});
    await result.getByText('both frames are rendered').waitFor();
    expect(await result.getByRole('status').textContent()).toBe('done');
    await result.getByRole('link', { name: 'Task' }).click();
    const pane = page.getByRole('region', { name: 'Task work' });
    await pane.getByRole('region', { name: 'Result' }).getByText('both frames are rendered').waitFor();
    expect(await pane.getByRole('status').textContent()).toBe('completed');
    const history = await pane
      .getByRole('region', { name: 'Changes of the status' })
      .getByRole('row')
      .allTextContents();
    expect(history.at(-1)).toMatch(/^\d\d:\d\d:\d\d\.\d{3}.*completed/);
    expect(history.some((row) => /working\s*frame 1 of 2$/.test(row))).toBe(true);
    await pane.getByRole('link', { name: 'Messages on the wire' }).click();
    const ofTask = /work|tasks\/get|subscriptions|notifications/;
    await soon(async () => (await rows(page).allTextContents()).every((row) => ofTask.test(row))).toBe(true);
    expect(await rows(page).first().textContent()).toMatch(/work.*task completed/);
    await page.getByRole('button', { name: 'one task' }).click();
    await soon(() => page.url()).not.toContain('task=');
  });

  test('a pending question of a task is answered in Tasks, by keyboard', async () => {
    const { url } = await openInspector('renders');
    const page = await openPage(`${url}#/tasks`);
    await live(page);
    await page.getByText('No tasks yet').waitFor();
    await openTool(page, 'asks', 'renders');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'renders asks a question' });
    await dialog.getByText('Which size?').waitFor();
    await page.keyboard.press('Escape');
    await soon(() => dialog.count()).toBe(0);
    await page.getByRole('button', { name: /1 question/ }).waitFor();
    await page.keyboard.press('t');
    await page.getByRole('link', { name: /^asks/ }).waitFor();
    await page.keyboard.press('j');
    const pane = page.getByRole('region', { name: 'Task asks' });
    const question = pane.getByRole('region', { name: 'renders asks a question' });
    await question.getByText('Which size?').waitFor();
    await page.keyboard.press('Enter');
    await soon(() => page.evaluate('document.activeElement.id')).toBe('task');
    await question.getByLabel(/^size/).focus();
    await page.keyboard.type('L');
    await page.keyboard.press('Tab');
    for (let presses = 0; presses < 5; presses++) {
      if ((await page.evaluate('document.activeElement.textContent')) === 'Answer') break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await pane.getByText('accept: L').waitFor();
    await soon(() => question.count()).toBe(0);
    await soon(() => page.getByRole('button', { name: /question/ }).count()).toBe(0);
  });

  test('a task is cancelled from its view, and failures are shown as such', async () => {
    const { url, host } = await openInspector('renders');
    const page = await openPage(url);
    await live(page);
    for (const tool of ['never', 'protocol-error', 'tool-error']) {
      await openTool(page, tool, 'renders');
      await page.getByRole('button', { name: 'Call', exact: true }).click();
      await page.getByRole('region', { name: 'Result' }).getByRole('link', { name: 'Task' }).waitFor();
    }
    await goTo(page, '#/tasks');
    const list = page.getByRole('navigation', { name: 'All tasks' });
    await list.getByRole('link', { name: /tool-error.*tool error/ }).waitFor();
    await list.getByRole('link', { name: /protocol-error.*failed/ }).click();
    await page.getByRole('region', { name: 'Task protocol-error' }).getByText('no such queue').first().waitFor();
    await page.getByLabel('running only').check();
    await soon(() => list.getByRole('link').count()).toBe(1);
    await list.getByRole('link', { name: /never/ }).click();
    await page.getByRole('region', { name: 'Task never' }).getByRole('button', { name: 'Cancel' }).click();
    await soon(() => page.getByRole('region', { name: 'Task never' }).getByRole('status').textContent()).toBe(
      'cancelled',
    );
    await soon(() => list.getByRole('link').count()).toBe(0);
    await goTo(page, '#/problems');
    await page.getByText('No problems').waitFor();
    expect(host.status()[0]!.state).toBe('ready');
  });

  test('the wire folds the messages of a task into one row, with its duration and end', async () => {
    const { url } = await openSource(taskRecording(FlowStore, { tasks: 2, polls: 500 }));
    const page = await openPage(`${url}#/wire`);
    await live(page);
    await soon(() => rows(page).count()).toBe(4); // two tasks, and a call without a task
    const [first, second] = [rows(page).nth(0), rows(page).nth(1)];
    expect(await first.textContent()).toMatch(/render.*task completed · 1,004 messages/);
    expect(await first.locator('.c5').textContent()).toBe('8 m 20 s');
    expect(await second.textContent()).toMatch(/no such queue.*task failed/);
    expect(await second.getAttribute('class')).toContain('bad');
    expect(await first.getAttribute('class')).not.toContain('bad');
    await page.getByText('2,010 events').waitFor();
    await page.locator('#timeline').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await soon(() => first.getAttribute('aria-expanded')).toBe('true');
    await soon(() => page.locator('#timeline').getAttribute('aria-rowcount')).toBe(String(4 + 1_003 + 1));
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await detail(page).getByRole('region', { name: 'Task' }).getByText('1,004 messages, 501 polls').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowLeft'); // moves to the first row of the task
    await page.keyboard.press('ArrowLeft');
    await soon(() => first.getAttribute('aria-expanded')).toBe('false');
    await first.getByRole('button', { name: 'Show the messages of this task' }).click();
    await soon(() => first.getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('/');
    await page.keyboard.type('no such queue');
    await soon(() => rows(page).count()).toBe(2);
  });

  test('an export of folded rows contains their messages', async () => {
    const { url } = await openSource(taskRecording(FlowStore, { tasks: 2, polls: 10 }));
    const page = await openPage(`${url}#/wire`);
    await live(page);
    await soon(() => rows(page).count()).toBe(4);
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.getByText('all rows that pass the filter (50 rows)').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+K');
    await page.keyboard.press('g');
    await page.keyboard.press('Shift+J');
    await page.keyboard.press('e');
    await page.getByRole('button', { name: 'Save 48 rows' }).waitFor();
  });
});
