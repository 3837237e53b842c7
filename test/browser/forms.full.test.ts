// Forms made from schemas: every kind of field, violations at their fields, and drafts that are kept.

import { expect, test } from 'vitest';
import { inBrowser, openPage } from './chromium.ts';
import { goTo, live, openTool, soon } from './on-page.ts';
import { openInspector } from './target.ts';

async function formOf(tool: string) {
  const { url } = await openInspector('gallery');
  const page = await openPage(url);
  await live(page);
  const form = await openTool(page, tool, 'gallery');
  return { page, form, result: page.getByRole('region', { name: 'Result' }) };
}

inBrowser('forms', () => {
  test('names a field by its key with the title beside it, and an alternative by its definition', async () => {
    const { form } = await formOf('forms');
    await form.getByText('displayName', { exact: true }).waitFor();
    await form.getByText('Name on the door').waitFor();
    const kinds = form.getByLabel('Kind of pet').getByRole('option');
    await soon(() => kinds.allTextContents()).toEqual(['Cat', 'Dog']);
  });

  test('sends null, lists with a schema for each position, and free objects', async () => {
    const { page, form, result } = await formOf('forms');
    await form.getByLabel(/^displayName/).fill('Ada');
    await form.getByLabel('nickname is null').check();
    await form.getByLabel(/^point 1/).fill('4.5');
    await form.getByLabel(/^point 2/).fill('m');
    await form.getByLabel(/^free/).fill('{"any": [1]}');
    await form.getByLabel('Kind of pet').selectOption('Dog');
    await form.getByLabel(/^tricks/).fill('roll');
    await form.getByLabel(/^nothing/).selectOption('null');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await result.getByText('done', { exact: true }).waitFor();
    await result.getByRole('button', { name: 'Raw text' }).click();
    expect(JSON.parse((await result.getByRole('region', { name: 'Text' }).textContent())!)).toEqual({
      displayName: 'Ada',
      nickname: null,
      point: [4.5, 'm'],
      free: { any: [1] },
      pet: { tricks: 'roll' },
      nothing: null,
    });
  });

  test('shows violations at their fields, and none of alternatives that were not chosen', async () => {
    const { page, form } = await formOf('forms');
    await form.getByLabel(/^displayName/).fill('Al');
    await form.getByLabel('Kind of pet').selectOption('Dog');
    await form.getByLabel(/^tricks/).fill('x');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const refusal = page.getByRole('alert');
    await refusal.getByText(/^Not sent/).waitFor();
    expect(await refusal.textContent()).not.toContain('lives');
    const field = (key: string) => form.locator('.field', { has: page.locator(`label:has-text("${key}")`) }).last();
    await field('displayName')
      .getByText(/too short/)
      .waitFor();
    await field('tricks')
      .getByText(/too short/)
      .waitFor();
    expect(await form.getByLabel(/^displayName/).getAttribute('aria-describedby')).toContain('faults');
    await form.getByLabel(/^displayName/).fill('Alan');
    await soon(() => form.getByText(/too short/).count()).toBe(1);
  });

  test('sends a text of one line on Enter, and begins a new line on Shift+Enter', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(url);
    await live(page);
    const form = await openTool(page, 'echo');
    await form.getByLabel(/^text/).fill('one');
    await form.getByLabel(/^text/).press('Shift+Enter');
    await form.getByLabel(/^text/).pressSequentially('two');
    expect(await form.getByLabel(/^text/).inputValue()).toBe('one\ntwo');
    await form.getByLabel(/^text/).fill('sent');
    await form.getByLabel(/^text/).press('Enter');
    await page.getByRole('region', { name: 'Result' }).getByText('done', { exact: true }).waitFor();
  });

  test('keeps invalid JSON when the tab is changed, and does not send it', async () => {
    const { page, form } = await formOf('menu');
    await form.getByRole('tab', { name: 'JSON' }).click();
    await form.getByLabel('arguments as JSON').fill('{"only": ');
    await form.getByRole('tab', { name: 'Form' }).click();
    await form.getByText('The JSON tab has text that is not valid JSON').waitFor();
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page
      .getByRole('alert')
      .getByText(/not valid JSON/)
      .waitFor();
    await form.getByRole('tab', { name: 'JSON' }).click();
    expect(await form.getByLabel('arguments as JSON').inputValue()).toBe('{"only": ');
  });

  test('takes the optional variables of a template as optional', async () => {
    const { url } = await openInspector('gallery');
    const template = encodeURIComponent('city://{city}{?units,lang}');
    const page = await openPage(`${url}#/resources?server=gallery&name=${template}`);
    await page.getByRole('combobox', { name: /^city/ }).fill('Oslo');
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await page.getByRole('region', { name: /^Text/ }).getByText('city://Oslo: 0').waitFor();
  });
});

inBrowser('drafts', () => {
  test('keeps typed arguments over other tools, Back and a reload, except secrets', async () => {
    const { page, form } = await formOf('login');
    await form.getByLabel(/^user/).fill('ada');
    await form.getByLabel(/^password/).fill('hunter2-is-secret');
    await openTool(page, 'menu', 'gallery');
    await page.getByLabel(/^only/).fill('soup');
    await page.goBack();
    await soon(() => page.getByLabel(/^user/).inputValue()).toBe('ada');
    await page.reload();
    await soon(() => page.getByLabel(/^user/).inputValue()).toBe('ada');
    expect(await page.getByLabel(/^password/).inputValue()).toBe('');
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('hunter2');
    await goTo(page, '#/tools?server=gallery&name=menu');
    await soon(() => page.getByLabel(/^only/).inputValue()).toBe('soup');
  });

  test('keeps the answer to a question when its dialog is closed, and opens the next question', async () => {
    const { page } = await formOf('chatter');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'gallery asks a question' });
    await dialog.getByLabel(/^reason/).fill('because');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /1 question/ }).click();
    expect(await dialog.getByLabel(/^reason/).inputValue()).toBe('because');
    await dialog.getByRole('button', { name: 'Answer' }).click();
    await page.getByRole('region', { name: 'Result' }).getByText('done', { exact: true }).waitFor();

    await openTool(page, 'twice', 'gallery');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await dialog.getByText('First?').waitFor();
    await dialog.getByRole('button', { name: 'Answer' }).click();
    await dialog.getByText('Second?').waitFor();
    await dialog.getByRole('button', { name: 'Decline' }).click();
    await page
      .getByRole('region', { name: 'Result' })
      .getByText(/decline/)
      .first()
      .waitFor();
  });
});
