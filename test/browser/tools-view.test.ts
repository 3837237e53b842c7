import { expect, test } from 'vitest';
import { inBrowser, openPage } from './chromium.ts';
import { call, goTo, live, openTool, soon } from './on-page.ts';
import { openInspector } from './target.ts';

inBrowser('tools, resources and prompts', () => {
  test('lists, searches and calls a tool from its form', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(`${url}#/tools`);
    await page.getByLabel('Find in tools').fill('says what');
    const list = page.getByRole('navigation', { name: 'All tools' });
    await soon(() => list.getByRole('listitem').count()).toBe(1);
    await list.getByRole('link', { name: /^echo/ }).click();
    await page.getByLabel(/^text/).fill('hello <b>there</b>');
    await page.getByLabel(/^times/).fill('2');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('done', { exact: true }).waitFor();
    expect(await result.getByRole('region', { name: 'Text' }).textContent()).toBe(
      'hello <b>there</b>\nhello <b>there</b>',
    );
  });

  test('makes forms for nested objects, arrays, enums, alternatives and defaults', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(url);
    await live(page);
    const form = await openTool(page, 'order');
    await form.getByLabel(/^dish/).selectOption('pasta');
    await form.getByLabel('bread').check();
    await form.getByLabel('olives').check();
    await form.getByRole('button', { name: 'Add to guests' }).click();
    await form.getByLabel(/^name/).fill('Ada');
    await form.getByLabel(/^street/).fill('Main St 1');
    await form.getByLabel('Kind of payment').selectOption('Cash');
    await form.getByLabel(/^change/).fill('12.5');
    await form.getByLabel(/^anything/).fill('{"deep": [1]}');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('done', { exact: true }).waitFor();
    await result.getByRole('tab', { name: 'Content' }).click();
    await result.getByRole('button', { name: 'Raw text' }).click();
    expect(JSON.parse((await result.getByRole('region', { name: 'Text' }).textContent())!)).toEqual({
      dish: 'pasta',
      portions: 2,
      hot: true,
      extras: ['bread', 'olives'],
      guests: [{ name: 'Ada' }],
      address: { street: 'Main St 1', city: 'Oslo' },
      payment: { kind: 'cash', change: 12.5 },
      anything: { deep: [1] },
    });
  });

  test('accepts raw JSON, and reports syntax errors and violations of the schema', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(url);
    await live(page);
    const form = await openTool(page, 'add');
    await form.getByRole('tab', { name: 'JSON' }).click();
    await form.getByLabel('arguments as JSON').fill('{"a": 1');
    await form.getByText(/^Not valid JSON/).waitFor();
    await form.getByLabel('arguments as JSON').fill('{"a": "one"}');
    await form.getByText('"b" is missing').waitFor();
    await form.getByLabel('arguments as JSON').fill('{"a": 1, "b": 2}');
    await soon(() => form.getByText('is missing').count()).toBe(0);
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await soon(() => result.getByRole('tab', { name: 'Structured' }).getAttribute('aria-selected')).toBe('true');
    await result.getByText('sum:').waitFor();
  });

  test('shows progress, and cancels', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(url);
    await live(page);
    const form = await openTool(page, 'work');
    await form.getByLabel(/^steps/).fill('200');
    await form.getByLabel(/^stepMs/).fill('30');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText(/step \d+ \d+ of 200/).waitFor();
    expect(await result.getByRole('progressbar').getAttribute('max')).toBe('200');
    await result.getByRole('button', { name: 'Cancel' }).click();
    await result.getByText('cancelled', { exact: true }).waitFor();
  });

  test('shows pictures, sounds, links and embedded resources', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(url);
    await live(page);
    const result = await call(page, 'show');
    const picture = result.getByRole('img');
    await picture.waitFor();
    await soon(() => picture.evaluate((image) => (image as { naturalWidth?: number }).naturalWidth)).toBe(96);
    await result.locator('audio').waitFor();
    await result.getByText('Inside of the answer').waitFor();
    await result.getByRole('link', { name: 'Open in Resources' }).click();
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await page.getByRole('region', { name: /^Text/ }).getByText('Water the plants.').waitFor();
  });

  test('renders Markdown without its HTML, shows its source, and reads a linked resource that is not listed', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(url);
    await live(page);
    const result = await call(page, 'report');
    const text = result.getByRole('region', { name: 'Text' });
    await text.locator('strong', { hasText: 'soup' }).waitFor();
    await text.getByRole('columnheader', { name: 'price' }).waitFor();
    await text.getByText('<img src=x onerror=alert(1)>').waitFor();
    await text.getByText('https://example.com/soup').waitFor();
    expect(await text.locator('img, a').count()).toBe(0);
    await result.getByLabel('Markdown as written').check();
    await text.getByText('| --- | --- |').waitFor();
    await result.getByRole('link', { name: 'Open in Resources' }).click();
    await page.getByText('Not listed by the server').waitFor();
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await page.getByRole('region', { name: /^Text/ }).getByText('Truffles.').waitFor();
  });

  test('marks an error of the tool, keeps a history, and calls again with changes', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(url);
    await live(page);
    const failed = await call(page, 'fail');
    await failed.getByText('The tool ran and reported an error.').waitFor();
    const form = await openTool(page, 'echo');
    await form.getByLabel(/^text/).fill('first');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const history = page.getByRole('region', { name: 'Call history' });
    await history.getByText('done').waitFor();
    await form.getByLabel(/^text/).fill('other');
    await history.getByRole('button', { name: 'Again…' }).click();
    expect(await form.getByLabel(/^text/).inputValue()).toBe('first');
    await form.getByLabel(/^text/).fill('first, changed');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await soon(() => history.getByRole('listitem').count()).toBe(2);
    await page.reload();
    await soon(() => history.getByRole('listitem').count()).toBe(2);
  });

  test('reads a resource by its template, and gets a prompt', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(`${url}#/resources?server=workbench&name=${encodeURIComponent('note://{day}')}`);
    await page.getByLabel(/^day/).fill('tomorrow');
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await page.getByRole('region', { name: /^Text/ }).getByText('Rest.').waitFor();
    await goTo(page, '#/prompts?server=workbench&name=greet');
    await page.getByLabel(/^who/).fill('Ada');
    await page.getByRole('button', { name: 'Get', exact: true }).click();
    await page.getByRole('region', { name: /^Text/ }).getByText('Say hello to Ada.').waitFor();
  });
});
