// A remote server on the page: its card, its HTTP requests on the wire, their headers, and its problems.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { FlowStore } from '../../src/observe/flow/store.ts';
import { inBrowser, openPage } from './chromium.ts';
import { detail, goTo, live, rows, soon } from './on-page.ts';
import { openSource } from './target.ts';

/** A store with a session, and a server that requires a login. */
async function remoteTraffic(): Promise<FlowStore> {
  const flow = new FlowStore();
  const server = new Server({ name: 'weather', version: '1' });
  server.tool('forecast', {}, (_, call) => {
    call.progress(1, 2);
    return 'sunny';
  });
  const serving = await serveHttp(server);
  const headers = { authorization: `Bearer ${serving.token}` };
  const observer = flow.begin('weather');
  const client = await connect({ url: serving.url, headers, observer }, { revision: '2025-11-25' });
  await client.callTool('forecast', {}, { onProgress: () => undefined });
  await client.close();
  await serving.close();

  const refusing = createServer((request, response) => {
    request.resume();
    response.writeHead(401, { 'www-authenticate': 'Bearer realm="notes"' }).end('no');
  });
  await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}/mcp`;
  await connect({ url, observer: flow.begin('notes') }, { revision: '2025-11-25' }).catch(() => undefined);
  refusing.closeAllConnections();
  refusing.close();
  return flow;
}

inBrowser('a remote server', () => {
  test('is shown with its address, its HTTP requests and their problems', async () => {
    const flow = await remoteTraffic();
    const source = { kind: 'recording', title: 'remote', startedAt: flow.startedAt, live: false, flow } as const;
    const { url } = await openSource({ ...source, close: async () => undefined });
    const page = await openPage(url, { colorScheme: 'dark' });
    await live(page);

    await goTo(page, '#/servers');
    const card = (name: string) => page.getByRole('region', { name, exact: true });
    for (const text of ['Streamable HTTP', '2025-11-25', '/mcp'])
      await card('weather').getByText(text).first().waitFor();
    await card('notes').getByText('standpipe login notes').waitFor();

    await goTo(page, '#/problems');
    await page.getByRole('heading', { name: 'Credential refused' }).waitFor();

    await goTo(page, '#/wire?server=weather');
    await page.getByRole('button', { name: 'HTTP', exact: true }).click();
    await soon(() => rows(page).filter({ hasText: 'POST 200 event stream' }).count()).toBe(1);
    await rows(page).filter({ hasText: 'POST 200 event stream' }).click();
    const exchange = detail(page).getByRole('region', { name: 'HTTP request' });
    await exchange.getByText('authorization: [redacted]').waitFor();
    await exchange.getByText('content-type: text/event-stream').waitFor();
    await exchange.getByText('3 messages; events').waitFor();

    // The keyboard leads to the message of the request, which shows the same request.
    await page.locator('#timeline').press('p');
    await detail(page).getByRole('heading', { name: 'forecast' }).waitFor();
    await exchange.getByText('200 event stream').waitFor();
  });
});
