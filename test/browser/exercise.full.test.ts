// What the page offers to exercise a server: the frames of a call, results, resending with differences, pinned calls, completion and
// subscriptions.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inBrowser, openPage } from './chromium.ts';
import { detail, goTo, live, openTool, rows, soon } from './on-page.ts';
import { openInspector } from './target.ts';

async function gallery(hash = ''): Promise<Page> {
  const { url } = await openInspector('gallery');
  const page = await openPage(`${url}${hash}`, { viewport: { width: 1440, height: 900 } });
  await live(page);
  return page;
}

async function called(page: Page, tool: string) {
  await openTool(page, tool, 'gallery');
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  const result = page.getByRole('region', { name: 'Result', exact: true });
  await result.locator('.outcome:not(.busy)').waitFor();
  return result;
}

inBrowser('the frames of a call', () => {
  test('are beside its form: request, log, progress, question, stderr and answer, each with its bytes', async () => {
    const page = await gallery();
    await openTool(page, 'chatter', 'gallery');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Answer' }).click();
    const dock = page.getByRole('complementary', { name: 'Protocol' });
    const frame = (name: string) => dock.getByRole('button', { name });
    await frame('↩ chatter').waitFor();
    for (const name of ['notifications/message', 'notifications/progress', 'elicitation/create', 'stderr']) {
      await frame(name).first().waitFor();
    }
    await frame('notifications/progress').click();
    await dock.getByText('"half"', { exact: true }).waitFor();
    await dock.getByRole('tab', { name: 'Hex' }).click();
    await dock.locator('.hex-line').first().waitFor();
    await dock.getByRole('link', { name: 'Show on the wire' }).click();
    await rows(page).first().waitFor();
    expect(await detail(page).locator('h2').textContent()).toBe('notifications/progress');
  });

  test('leave out the frames of other calls, and the dock stays closed after a reload', async () => {
    const page = await gallery();
    await called(page, 'think');
    await called(page, 'menu');
    const dock = page.getByRole('complementary', { name: 'Protocol' });
    await soon(() => dock.locator('.dock-frame').count()).toBe(2);
    await dock.getByRole('button', { name: /Protocol/ }).click();
    await soon(() => dock.locator('.dock-frame').count()).toBe(0);
    await page.reload();
    await dock.getByRole('button', { name: /Protocol/, expanded: false }).waitFor();
  });
});

inBrowser('results', () => {
  test('a result that violates its output schema is not shown as done, and is listed as a problem', async () => {
    const page = await gallery();
    const result = await called(page, 'breach');
    await result.getByText('invalid result', { exact: true }).waitFor();
    await result.getByText(/sum must be number/).waitFor();
    await page.getByText('Output schema', { exact: true }).click();
    await page.getByRole('region', { name: 'Output schema' }).getByText('"number"').waitFor();
    await goTo(page, '#/problems');
    await page.locator('.problem', { hasText: 'Result violates the output schema' }).waitFor();
  });

  test('an error of the protocol has its code and its data, and links to the frames', async () => {
    const page = await gallery();
    const result = await called(page, 'refuse');
    await result.getByText('-32050').waitFor();
    await result.getByText('retryAfter:').waitFor();
    await result.getByRole('link', { name: /^Answer #/ }).click();
    await detail(page).getByText('-32050', { exact: false }).first().waitFor();
  });

  test('JSON in text is a table or a tree, and its text can be copied and saved', async () => {
    const page = await gallery();
    const result = await called(page, 'table');
    await result.getByRole('columnheader', { name: 'price' }).waitFor();
    await soon(() => result.getByRole('row').count()).toBe(4);
    await result.getByRole('button', { name: 'Tree' }).click();
    await result.getByText('"with nuts"').waitFor();
    await result.getByRole('button', { name: 'Copy' }).click();
    expect(JSON.parse((await page.evaluate('navigator.clipboard.readText()')) as string)).toHaveLength(3);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      result.getByRole('button', { name: 'Save' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('table.json');
  });

  test('structured content comes first, and HTML is shown as its source', async () => {
    const page = await gallery();
    const menu = await called(page, 'menu');
    await soon(() => menu.getByRole('tab').first().textContent()).toBe('Structured');
    await menu.getByRole('cell', { name: 'soup' }).waitFor();
    const html = await called(page, 'page');
    await html.getByText('<h1 id="risky">Hello</h1>').waitFor();
    expect(await page.locator('#risky').count()).toBe(0);
  });
});

inBrowser('requests that are sent again', () => {
  test('a recorded request is edited beside the original, and the answers are compared', async () => {
    const page = await gallery();
    await called(page, 'menu');
    await goTo(page, '#/wire?method=tools/call');
    await rows(page).first().click();
    await detail(page).getByRole('button', { name: 'Edit and resend' }).click();
    const dialog = page.getByRole('dialog', { name: /^Edit and resend/ });
    await dialog.getByRole('region', { name: 'Original parameters' }).getByText('"menu"').waitFor();
    await dialog.getByLabel('Parameters to send').fill('{"name": "menu", "arguments": ');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/not valid JSON/)
      .waitFor();
    await dialog.getByLabel('Parameters to send').fill('{"name": "menu", "arguments": {"only": "soup"}}');
    await dialog.getByRole('button', { name: 'Send' }).click();
    const differences = dialog.getByRole('region', { name: 'Differences of the answers' });
    await differences.locator('.removed', { hasText: '"pasta"' }).waitFor();
    expect(await differences.locator('.added', { hasText: 'pasta' }).count()).toBe(0);
  });

  test('any method can be sent again, with the key r', async () => {
    const page = await gallery();
    await goTo(page, '#/resources?server=gallery');
    await page.getByRole('navigation', { name: 'All resources' }).getByRole('listitem').first().waitFor();
    await goTo(page, '#/wire?method=resources/list');
    await rows(page).first().click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog', { name: /^Edit and resend/ });
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText('The two answers are equal.').waitFor();
  });

  test('a pinned call keeps its name over a reload, and fills the form', async () => {
    const page = await gallery();
    const form = await openTool(page, 'menu', 'gallery');
    await form.getByLabel(/^only/).fill('soup');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const history = page.getByRole('region', { name: 'Call history' });
    await history.getByRole('button', { name: /^Pin the call/ }).click();
    await history.getByLabel('Name of the pinned call').fill('only the soup');
    await form.getByLabel(/^only/).fill('else');
    await page.reload();
    await history.getByRole('button', { name: 'Use only the soup' }).click();
    await soon(() => form.getByLabel(/^only/).inputValue()).toBe('soup');
    await history.getByRole('button', { name: 'Remove only the soup' }).click();
    await soon(() => history.getByText('Pinned').count()).toBe(0);
  });
});

inBrowser('completion and subscriptions', () => {
  test('suggests values of prompt arguments while typing, with those of the other arguments', async () => {
    const page = await gallery('#/prompts?server=gallery&name=travel');
    const city = page.getByRole('combobox', { name: /^city/ });
    await city.pressSequentially('P');
    const list = page.getByRole('listbox', { name: 'Values of city' });
    await soon(() => list.getByRole('option').allTextContents()).toEqual(['Paris', 'Porto', 'Prague']);
    await city.press('ArrowDown');
    await city.press('ArrowDown');
    await city.press('Enter');
    await soon(() => city.inputValue()).toBe('Porto');
    await page.getByRole('combobox', { name: /^season/ }).focus();
    await page.getByRole('option', { name: 'spring in Porto' }).click();
    await page.getByRole('button', { name: 'Get', exact: true }).click();
    await page.getByRole('region', { name: 'Text' }).getByText('Plan a trip to Porto.').waitFor();
  });

  test('suggests values of template variables', async () => {
    const template = encodeURIComponent('city://{city}{?units,lang}');
    const page = await gallery(`#/resources?server=gallery&name=${template}`);
    await page.getByRole('combobox', { name: /^city/ }).pressSequentially('Os');
    const values = page.getByRole('listbox', { name: 'Values of city' }).getByRole('option');
    await soon(() => values.allTextContents()).toEqual(['Oslo', 'Osaka']);
  });

  test('lists the updates of a subscribed resource, and ends the subscription', async () => {
    const { url, host } = await openInspector('gallery');
    const page = await openPage(`${url}#/resources?server=gallery&name=${encodeURIComponent('count://a')}`);
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await page.getByRole('button', { name: 'Subscribed' }).waitFor();
    await host.callTool('gallery', 'touch', {});
    const updates = page.getByRole('list', { name: 'Updates' });
    await soon(() => updates.getByRole('listitem').count()).toBe(1);
    await page.reload();
    await soon(() => updates.getByRole('listitem').count()).toBe(1);
    await page.getByRole('button', { name: 'Read again' }).click();
    await page.getByRole('region', { name: 'Text of the resource' }).getByText('count://a: 1').waitFor();
    await page.getByRole('button', { name: 'Subscribed' }).click();
    await page.getByRole('button', { name: 'Subscribe', exact: true }).waitFor();
    await host.callTool('gallery', 'touch', {});
    expect(await updates.count()).toBe(0);
  });
});
