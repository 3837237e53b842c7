// Tools of servers that can only be watched: their definitions from the recorded lists, their recorded calls, and links that lead there.

import { expect, test } from 'vitest';
import type { InspectorSource } from '../../src/app/inspector/sources/source.ts';
import { FlowStore } from '../../src/observe/flow/store.ts';
import { inBrowser, openPage } from './chromium.ts';
import { detail, goTo, live, rows, soon } from './on-page.ts';
import { tapByHand } from './running-tap.ts';
import { openSource } from './target.ts';

const clientInfo = { name: 'by hand', version: '1' };
const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };

function recording(): InspectorSource {
  const flow = new FlowStore();
  const server = flow.begin('shop');
  const tool = (name: string, more = {}) => ({
    name,
    description: `Does ${name}`,
    inputSchema: { type: 'object' },
    ...more,
  });
  const exchange = (id: number, method: string, params: object, result: object) => {
    server.text('toServer', JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    server.text('fromServer', JSON.stringify({ jsonrpc: '2.0', id, result }));
  };
  exchange(1, 'tools/list', {}, { tools: [tool('old')] });
  const outputSchema = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] };
  exchange(2, 'tools/list', {}, { tools: [tool('buy', { outputSchema })], nextCursor: 'two' });
  exchange(3, 'tools/list', { cursor: 'two' }, { tools: [tool('sell')] });
  const call = { name: 'buy', arguments: { what: 'bread' } };
  exchange(4, 'tools/call', call, { content: [], structuredContent: { price: 'much' } });
  const source = { kind: 'recording', title: 'shop.jsonl', startedAt: new Date(), live: false, flow } as const;
  return { ...source, close: async () => undefined };
}

inBrowser('tools of a recording', () => {
  test('are those of the newest recorded list, with its pages, and their calls have frames', async () => {
    const { url } = await openSource(recording());
    const page = await openPage(`${url}#/tools`, { viewport: { width: 1440, height: 900 } });
    const list = page.getByRole('navigation', { name: 'All tools' });
    await soon(() => list.locator('.offer-name').allTextContents()).toEqual(['buy', 'sell']);
    await list.getByRole('link', { name: /^buy/ }).click();
    await page.getByText('A recording can only be watched').waitFor();
    expect(await page.getByRole('button', { name: 'Call', exact: true }).count()).toBe(0);
    await page.getByRole('region', { name: 'Recorded calls' }).getByRole('button').first().click();
    const dock = page.getByRole('complementary', { name: 'Protocol' });
    await soon(() => dock.locator('.dock-frame').count()).toBe(2);
  });

  test('a recorded result that violates its output schema is a problem', async () => {
    const { url } = await openSource(recording());
    const page = await openPage(`${url}#/problems`);
    await page.locator('.problem', { hasText: 'Result violates the output schema' }).waitFor();
    await page.getByText(/price must be number/).waitFor();
  });
});

inBrowser('tools of a tap', () => {
  test('a call on the wire opens its tool with its arguments, and the server is not called stopped', async () => {
    const { write, inspector } = await tapByHand('kitchen', 'workbench');
    write(
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
      { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'echo', arguments: { text: 'tapped' } } },
    );
    const page = await openPage(`${inspector.url}#/wire?method=tools/call`);
    await live(page);
    await rows(page).filter({ hasText: 'tapped' }).first().click();
    await detail(page).getByRole('button', { name: 'Open in Tools' }).click();
    await soon(() => page.getByLabel(/^text/).inputValue()).toBe('tapped');
    await page.getByText('A tap can only be watched').waitFor();
    expect(await page.getByText('stopped').count()).toBe(0);
    await page.getByRole('button', { name: 'Copy as JSON' }).click();
    await page.getByText('Copied as JSON').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('"tapped"');
    await goTo(page, '#/tools?server=kitchen&name=no-such');
    await page.getByText('lists no tool named “no-such”').waitFor();
  });
});
