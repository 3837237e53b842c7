import { expect, test } from 'vitest';
import { inBrowser, openPage } from './chromium.ts';
import { goTo, live, openTool, soon } from './on-page.ts';
import { openInspector } from './target.ts';

inBrowser('questions of servers', () => {
  test('a question of a server opens as a form, and its answer reaches the server', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(url);
    await live(page);
    await openTool(page, 'ask');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'workbench asks a question' });
    await dialog.getByText('Who are you').waitFor();
    await dialog.getByLabel(/^name Your name/).fill('Ada');
    await dialog.getByLabel(/^colour/).selectOption('green');
    await dialog.getByRole('button', { name: 'Answer' }).click();
    await page.getByRole('button', { name: 'Raw text' }).click();
    await page
      .getByRole('region', { name: 'Text' })
      .getByText('{"action":"accept","content":{"name":"Ada","colour":"green"}}')
      .waitFor();
  });

  test('a question of another caller is shown as a badge in every view, and can be declined', async () => {
    const { url, host } = await openInspector('workbench');
    const page = await openPage(`${url}#/latency`);
    await live(page);
    const called = host.callTool('workbench', 'ask', {});
    await page.getByRole('button', { name: /1 question/ }).click();
    await page.getByRole('button', { name: 'Decline' }).click();
    expect(JSON.stringify(await called)).toContain('decline');
    await soon(() => page.getByRole('button', { name: /question/ }).count()).toBe(0);
  });

  test('a reload keeps a pending question', async () => {
    const { url, host } = await openInspector('workbench');
    const page = await openPage(`${url}#/servers`);
    await live(page);
    const called = host.callTool('workbench', 'ask', {});
    await page.getByRole('button', { name: /1 question/ }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: /1 question/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(JSON.stringify(await called)).toContain('cancel');
  });

  test('the user can answer in place of the model, or refuse', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(url);
    await live(page);
    await openTool(page, 'think');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: /requests a model response/ });
    await dialog.getByRole('region', { name: 'Text' }).getByText('What is the colour of the sky?').waitFor();
    await dialog.getByLabel('Model response').fill('Blue');
    await dialog.getByRole('button', { name: 'Answer' }).click();
    await page.getByRole('region', { name: 'Text' }).getByText('"Blue"').waitFor();
    await goTo(page, '#/tools?server=workbench&name=think');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await dialog.getByRole('button', { name: 'Refuse' }).click();
    await page
      .getByRole('region', { name: 'Text' })
      .getByText(/refused/)
      .waitFor();
  });
});
