// An extension outside of the core (test/fixtures/parcels) works through a client, a host, a gateway and a fleet: its method with a target,
// its notifications, and its type of results.

import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import type { Client } from '../../src/mcp/client/client.ts';
import { register } from '../../src/mcp/extensions/extension.ts';
import { isOfService, mayAsk, methodsOfMcp } from '../../src/mcp/methods.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { repeatedHeaders } from '../../src/wire/transport/http/repeated-headers.ts';
import { memoryPair } from '../../src/wire/transport/stream-transport.ts';
import { farHost } from '../fixtures/fleet/far-host.ts';
import { PARCELS, parcels } from '../fixtures/parcels/parcels.mjs';

const file = fileURLToPath(new URL('../fixtures/parcels/server.mjs', import.meta.url));
const entry = { command: process.execPath, args: [file] };
const extensions = [parcels()];
const eras = ['modern', 'legacy'] as const;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function gateway(servers: Record<string, typeof entry>) {
  const host = new Host({ mcpServers: servers }, { extensions });
  closing.push(() => host.stop());
  const serving = await serveHttp((name) =>
    name === undefined || host.names.includes(name) ? host.service(name) : undefined,
  );
  closing.push(() => serving.close());
  const open = async (path: string, options: Parameters<typeof connect>[1] = {}) => {
    const headers = { authorization: `Bearer ${serving.token}` };
    const client = await connect({ url: serving.url + path, headers }, options);
    closing.push(() => client.close());
    return client as unknown as Client;
  };
  return { host, open, url: serving.url, token: serving.token };
}

const parcel = (client: Client, name = 'wrap') =>
  client.request('tools/call', { name, arguments: { text: 'tea' } }, { unfinished: true });
const content = [{ type: 'text', text: 'tea' }];

describe('a client', () => {
  test('declares the extension, and continues a call with a result of the extension', async () => {
    const client = await connect(entry, { extensions });
    closing.push(() => client.close());
    expect(client.server.capabilities.extensions).toEqual({ [PARCELS]: { wraps: ['paper'] } });
    expect(await client.callTool('wrap', { text: 'tea' })).toMatchObject({
      content,
      structuredContent: { extensions: { [PARCELS]: { opens: ['paper'] } } },
    });
    expect(await parcel(client)).toMatchObject({ resultType: 'parcel', parcelId: 'parcel 2' });
  });

  test('a client without the extension gets plain results', async () => {
    const client = await connect(entry);
    closing.push(() => client.close());
    expect(await client.callTool('wrap', { text: 'tea' })).toMatchObject({ content, _meta: { declared: {} } });
  });

  test('a client of an older revision declares it, and gets plain results', async () => {
    const client = await connect(entry, { extensions, era: 'legacy' });
    closing.push(() => client.close());
    expect(client.server.capabilities.extensions).toEqual({ [PARCELS]: { wraps: ['paper'] } });
    const declared = { extensions: { [PARCELS]: { opens: ['paper'] } } };
    expect(await client.callTool('wrap', { text: 'tea' })).toMatchObject({ content, _meta: { declared } });
  });

  test('refuses a result of the extension to another method', async () => {
    const odd = { id: PARCELS, server: { over: () => ({ request: () => ({ resultType: 'parcel', parcelId: '1' }) }) } };
    const server = new Server({ name: 'odd', version: '1' }, { extensions: [odd] });
    const [here, there] = memoryPair();
    await server.connect(there);
    const client = await connect(here, { extensions });
    closing.push(() => client.close());
    await expect(client.getPrompt('any')).rejects.toMatchObject({ code: 'RESULT_INVALID' });
    expect(await parcel(client as unknown as Client)).toMatchObject({ resultType: 'parcel' });
  });
});

describe('a host', () => {
  test('continues its own calls', async () => {
    const { host } = await gateway({ post: entry });
    expect(await host.callTool('post', 'wrap', { text: 'tea' })).toMatchObject({ content });
  });
});

describe('a gateway', () => {
  test.each(['/post', ''])('at "%s" passes results and routes the requests that continue them', async (path) => {
    const { open, host } = await gateway({ post: entry, other: entry });
    await host.start();
    const client = await open(path, { extensions });
    const name = path === '' ? 'post__wrap' : 'wrap';
    expect(client.server.capabilities.extensions).toEqual({ [PARCELS]: { wraps: ['paper'] } });
    expect(await client.callTool(name, { text: 'tea' })).toMatchObject({ content });
  });

  test.each(eras)('opens parcels for a client of the %s era without the extension', async (era) => {
    const { open } = await gateway({ post: entry });
    const client = await open('/post', { era });
    expect(await client.callTool('wrap', { text: 'tea' })).toMatchObject({
      content,
      _meta: { 'com.example/carrier': 'post' },
    });
  });

  test('refuses a request whose header does not name its target', async () => {
    const { open, url, token } = await gateway({ post: entry });
    const client = await open('/post', { extensions });
    const { parcelId } = await parcel(client);
    const meta = (await client.request('parcels/open', { parcelId })).structuredContent;
    expect(meta).toMatchObject({ extensions: { [PARCELS]: {} } });
    const send = async (name: string) => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': { extensions: { [PARCELS]: {} } },
      };
      const response = await fetch(`${url}/post`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'parcels/open',
          'mcp-name': name,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'parcels/open', params: { parcelId, _meta } }),
      });
      return (await response.json()) as { error?: { code: number }; result?: unknown };
    };
    expect(await send('another')).toMatchObject({ error: { code: -32020 } });
    expect(await send(String(parcelId))).toMatchObject({ result: { content } });
  });
});

/** Wraps a parcel and opens it. Returns its id after the notification has arrived. */
async function heardOf(client: Client, name = 'wrap') {
  const { parcelId } = await parcel(client, name);
  const heard: unknown[] = [];
  const accepted: unknown[] = [];
  const stop = await client.service.watch({
    filter: { further: { parcelIds: [parcelId, 'unknown'] } },
    accepted: (members) => accepted.push(members),
    notified: (method, params) => heard.push([method, { ...params, _meta: undefined }]),
  });
  await parcel(client, name); // another parcel, outside of the subscription
  await client.request('parcels/open', { parcelId });
  await expect.poll(() => heard).toEqual([['notifications/parcels/opened', { parcelId, by: 'hand' }]]);
  expect(accepted).toEqual([{ parcelIds: [parcelId] }]);
  stop();
  return parcelId;
}

describe('a subscription to ids of the extension', () => {
  test('gets the notifications of the server about them', async () => {
    const client = await connect(entry, { extensions });
    closing.push(() => client.close());
    expect(await heardOf(client)).toBe('parcel 1');
  });

  test.each(['/post', ''])('passes a gateway at "%s"', async (path) => {
    const { open, host } = await gateway({ other: entry, post: entry });
    await host.start();
    const client = await open(path, { extensions });
    const name = path === '' ? 'post__wrap' : 'wrap';
    expect(await heardOf(client, name)).toBe(path === '' ? 'standpipe:post/parcel 1' : 'parcel 1');
  });
});

describe('a fleet', () => {
  test('a fleet of two nodes routes the requests and notifications of the extension to the node that runs the server', async () => {
    const { host, close } = await farHost('post', entry, { extensions });
    closing.push(close);
    const serving = await serveHttp((name) => host.service(name));
    closing.push(() => serving.close());
    await host.start();
    const headers = { authorization: `Bearer ${serving.token}` };
    for (const [path, tool] of [['/post', 'wrap'] as const, ['', 'post__wrap'] as const]) {
      const client = await connect({ url: serving.url + path, headers }, { extensions });
      closing.push(() => client.close());
      expect(client.server.capabilities.extensions).toEqual({ [PARCELS]: { wraps: ['paper'] } });
      expect(await client.callTool(tool, { text: 'tea' })).toMatchObject({ content });
      expect(await heardOf(client as unknown as Client, tool)).toMatch(/^standpipe:.*parcel \d$/);
      const old = await connect({ url: serving.url + path, headers }, { era: 'legacy' });
      closing.push(() => old.close());
      expect(await old.callTool(tool, { text: 'tea' })).toMatchObject({ _meta: { 'com.example/carrier': 'post' } });
    }
  });
});

describe('registering', () => {
  test('adds the row of a method to the table that all readers use', () => {
    const id = 'com.example/one-row';
    register([{ id, methods: { 'one-row/do': { from: 'client', target: { parameter: 'rowId' } } } }]);
    expect(methodsOfMcp.get('one-row/do')).toEqual({ from: 'client', target: { parameter: 'rowId' }, extension: id });
    expect([isOfService('one-row/do'), mayAsk('one-row/do'), isOfService('one-row/other')]).toEqual([
      true,
      false,
      false,
    ]);
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    const request = { jsonrpc: '2.0' as const, id: 1, method: 'one-row/do', params: { rowId: 'seven', _meta } };
    expect(repeatedHeaders(request)).toEqual(expect.arrayContaining(['Mcp-Name', 'seven']));
  });

  test.each([
    ['a method of MCP', { id: 'com.example/a', methods: { 'tools/call': { from: 'client' as const } } }],
    [
      'a method of another extension',
      { id: 'com.example/b', methods: { 'parcels/open': { from: 'client' as const } } },
    ],
    ['a type of MCP', { id: 'com.example/c', resultTypes: { complete: { methods: [] } } }],
    ['an id without a prefix', { id: 'parcels' }],
  ])('refuses %s', (_what, extension) => {
    expect(() => register([extension])).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  });
});
