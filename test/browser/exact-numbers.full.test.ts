import { expect, test } from 'vitest';
import type { EventDetail, EventPage } from '../../src/app/inspector/api.ts';
import type { InspectorSource } from '../../src/app/inspector/sources/source.ts';
import { FlowStore } from '../../src/observe/flow/store.ts';
import { inBrowser, openPage } from './chromium.ts';
import { detail, goTo, live, openTool, rows, soon } from './on-page.ts';
import { type Opened, openInspector, openSource } from './target.ts';

/** The newest request for this tool, with its original bytes. */
async function sent({ port, token }: Opened, tool: string): Promise<string | undefined> {
  const get = async (path: string) =>
    (await fetch(`http://127.0.0.1:${port}/api/${path}`, { headers: { 'x-standpipe-token': token } })).json();
  const { rows } = (await get('events?after=0&limit=5000')) as EventPage;
  const row = rows.filter((one) => one.type === 'request' && one.tool === tool).at(-1);
  return row && ((await get(`events/${row.seq}`)) as EventDetail).text;
}

/** The address of an Inspector that shows these messages of a server. */
async function recordingOf(...messages: string[]): Promise<string> {
  const flow = new FlowStore();
  const server = flow.begin('one');
  for (const message of messages) server.text('fromServer', message);
  const source: InspectorSource = {
    ...{ kind: 'recording', title: 'one', startedAt: new Date(), live: false, flow },
    close: async () => undefined,
  };
  return (await openSource(source)).url;
}

inBrowser('numbers and keys', () => {
  test('an id that is a string is quoted in the timeline and in the details, and a number is not', async () => {
    const asking = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
    const page = await openPage(`${await recordingOf(asking('1'), asking('"1"'))}#/wire?event=2`);
    await soon(() => rows(page).locator('.c4').allTextContents()).toEqual(['1', '"1"']);
    await soon(() => detail(page).locator('.facts').textContent()).toContain('id"1"');
    await rows(page).first().click();
    await soon(() => detail(page).locator('.facts').textContent()).toMatch(/id1(?!")/);
  });

  test('shows the original JSON of a message', async () => {
    const message = '{"jsonrpc":"2.0","id":1,"result":{"n":12345678901234567890,"e":1e400,"k":"first","k":"second"}}';
    const page = await openPage(`${await recordingOf(message)}#/wire?event=1`);
    const tree = detail(page).getByRole('region', { name: 'Contents as JSON' });
    await tree.getByText('12345678901234567890').waitFor();
    await tree.getByText('1e400').waitFor();
    await tree.getByText('"first"').waitFor();
    await tree.getByText('"second"').waitFor();
  });

  test('a form sends all typed digits, and repeats the call with them', async () => {
    const inspector = await openInspector('workbench');
    const page = await openPage(inspector.url);
    await live(page);
    const form = await openTool(page, 'identify');
    await form.getByLabel(/^id/).fill('9007199254740993');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByRole('region', { name: 'Result' }).getByText('done', { exact: true }).waitFor();
    expect(await sent(inspector, 'identify')).toContain('"arguments":{"id":9007199254740993}');
    await page.reload();
    await page.getByRole('region', { name: 'Call history' }).getByText('{"id":9007199254740993}').waitFor();
    await page.getByRole('button', { name: 'Again…' }).click();
    expect(await form.getByLabel(/^id/).inputValue()).toBe('9007199254740993');
  });

  test('the JSON tab sends its text unchanged: all digits, and duplicate keys', async () => {
    const inspector = await openInspector('workbench');
    const page = await openPage(inspector.url);
    await live(page);
    const form = await openTool(page, 'identify');
    await form.getByRole('tab', { name: 'JSON' }).click();
    await form.getByLabel('arguments as JSON').fill('{\n "id": 1,\n "id": 12345678901234567890\n}');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByRole('region', { name: 'Result' }).getByText('done', { exact: true }).waitFor();
    expect(await sent(inspector, 'identify')).toContain('"id": 1,  "id": 12345678901234567890');
  });

  test('refuses to send a number that would be rounded', async () => {
    const inspector = await openInspector('calculator');
    const page = await openPage(`${inspector.url}#/tools`);
    await page.getByRole('navigation', { name: 'All tools' }).getByRole('link').first().click();
    await page.getByRole('tab', { name: 'JSON' }).click();
    await page.getByLabel('arguments as JSON').fill('{"a": 9007199254740993}');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByRole('button', { name: 'Call anyway' }).click();
    await page.getByText(/number that would be rounded/).waitFor();
    await goTo(page, '#/wire');
    await soon(() => page.getByText('9007199254740993').count()).toBe(0);
  });
});

inBrowser('forms that are not complete', () => {
  test('sends neither invalid JSON nor the valid JSON before it', async () => {
    const inspector = await openInspector('workbench');
    const page = await openPage(inspector.url);
    await live(page);
    const form = await openTool(page, 'add');
    await form.getByRole('tab', { name: 'JSON' }).click();
    await form.getByLabel('arguments as JSON').fill('{"a": 1, "b": 2}');
    await form.getByLabel('arguments as JSON').fill('{"a": 1, "b": 3');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await form
      .getByRole('alert')
      .getByText(/^Not sent: Not valid JSON/)
      .waitFor();
    expect(await sent(inspector, 'add')).toBe(undefined);
    await form.getByLabel('arguments as JSON').fill('{"a": 1, "b": 3}');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByRole('region', { name: 'Result' }).getByText('done', { exact: true }).waitFor();
    expect(await sent(inspector, 'add')).toContain('{"a":1,"b":3}');
  });

  test('reports a missing required field before the first call, which can still be made', async () => {
    const inspector = await openInspector('workbench');
    const page = await openPage(inspector.url);
    await live(page);
    const form = await openTool(page, 'add');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await form.getByRole('alert').getByText('"a" is missing').waitFor();
    expect(await sent(inspector, 'add')).toBe(undefined);
    await form.getByRole('button', { name: 'Call anyway' }).click();
    await page.getByRole('region', { name: 'Result' }).waitFor();
    await soon(() => sent(inspector, 'add')).toContain('"arguments":{}');
  });

  test('reports text that is not a number, and does not send it', async () => {
    const inspector = await openInspector('workbench');
    const page = await openPage(inspector.url);
    await live(page);
    const form = await openTool(page, 'identify');
    await form.getByLabel(/^id/).fill('12x');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await form.getByRole('alert').getByText('Not sent: id: Not a number: 12x').waitFor();
    expect(await sent(inspector, 'identify')).toBe(undefined);
  });

  test('a click takes effect even if the form becomes invalid while the button is pressed', async () => {
    const inspector = await openInspector('workbench');
    const page = await openPage(inspector.url, { bypassCSP: true });
    await live(page);
    const form = await openTool(page, 'identify');
    await page.clock.install();
    await form.getByLabel(/^id/).fill('12x');
    await page.getByRole('button', { name: 'Call', exact: true }).hover();
    await page.mouse.down();
    await page.clock.runFor(1000);
    await page.evaluate('new Promise(requestAnimationFrame)');
    await page.mouse.up();
    await form.getByRole('alert').getByText('Not sent: id: Not a number: 12x').waitFor();
  });

  test('an answer to a server requires its required fields', async () => {
    const { url, host } = await openInspector('workbench');
    const page = await openPage(url);
    await live(page);
    const called = host.callTool('workbench', 'ask', {});
    await page.getByRole('button', { name: /1 question/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Answer', exact: true }).click();
    await dialog.getByRole('alert').getByText('"name" is missing').waitFor();
    await dialog.getByLabel(/^name Your name/).fill('Ada');
    await dialog.getByRole('button', { name: 'Answer', exact: true }).click();
    expect(JSON.stringify(await called)).toContain('Ada');
  });
});
