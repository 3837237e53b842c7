// Our peer with the conventions of LSP, over frames with a Content-Length, with language servers from npm.

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { contentLength } from '../../src/entry/framing.ts';
import { lsp, Peer } from '../../src/entry/jsonrpc.ts';
import { StdioClientTransport } from '../../src/entry/stdio.ts';
import { closing } from '../fixtures/server.ts';

const bin = (path: string) => fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url));
const servers = {
  docker: bin('dockerfile-language-server-nodejs/bin/docker-langserver'),
  json: bin('vscode-json-languageserver/bin/vscode-json-languageserver'),
};

interface Diagnostics {
  uri: string;
  diagnostics: { message: string; range: { start: { line: number } } }[];
}

async function start(server: keyof typeof servers, capabilities: object = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [servers[server], '--stdio'],
    framing: contentLength(),
    stderr: 'ignore',
  });
  const peer = closing(new Peer(transport, { conventions: lsp }));
  const errors: string[] = [];
  peer.onerror = (error) => errors.push(error.message);
  const published: Diagnostics[] = [];
  const waiting: (() => void)[] = [];
  peer.onNotification('textDocument/publishDiagnostics', (params) => {
    published.push(params as unknown as Diagnostics);
    for (const look of waiting.splice(0)) look();
  });
  await peer.start();
  const { capabilities: offered } = await peer.request<{ capabilities: Record<string, unknown> }>('initialize', {
    processId: process.pid,
    rootUri: null,
    capabilities,
  });
  await peer.notify('initialized', {});
  const open = (uri: string, languageId: string, text: string) =>
    peer.notify('textDocument/didOpen', { textDocument: { uri, languageId, version: 1, text } });
  const diagnosed = async (count: number) => {
    while (published.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    return published[count - 1]!;
  };
  /** Ends the session as the protocol prescribes; the server exits by itself. */
  const leave = async () => {
    expect(await peer.request('shutdown')).toBeNull();
    const closed = new Promise((resolve) => {
      peer.onclose = resolve;
    });
    await peer.notify('exit');
    await closed;
    expect(transport.evidence()).toMatchObject({ exitCode: 0 });
    expect(errors).toEqual([]);
  };
  return { peer, offered, open, diagnosed, leave };
}

test('dockerfile-language-server: diagnostics, hover, null without a hover, formatting', async () => {
  const { peer, offered, open, diagnosed, leave } = await start('docker');
  expect(offered).toMatchObject({ hoverProvider: true });
  const textDocument = { uri: 'file:///app/Dockerfile' };
  await open(textDocument.uri, 'dockerfile', 'FROM node\nRUNN echo "grüße 🙂"\n\n');
  expect(await diagnosed(1)).toMatchObject({
    uri: textDocument.uri,
    diagnostics: [{ message: expect.stringContaining('RUNN'), range: { start: { line: 1 } } }],
  });
  const hover = (line: number) =>
    peer.request('textDocument/hover', { textDocument, position: { line, character: 1 } });
  expect(await hover(0)).toMatchObject({ contents: expect.anything() });
  expect(await hover(2)).toBeNull();
  const symbols = await peer.request<{ name: string }[]>('textDocument/documentSymbol', { textDocument });
  expect(symbols.map(({ name }) => name)).toEqual(['FROM', 'RUNN']);
  await leave();
});

test('vscode-json-languageserver: a request of the server is answered with null and with a result', async () => {
  const { peer, open, diagnosed, leave } = await start('json', {
    workspace: { configuration: true, didChangeConfiguration: { dynamicRegistration: true } },
    textDocument: { formatting: { dynamicRegistration: true }, rangeFormatting: { dynamicRegistration: true } },
  });
  const asked: string[] = [];
  peer.handle('client/registerCapability', () => {
    asked.push('client/registerCapability');
  });
  peer.handle('vscode/content', (params) => {
    asked.push(`vscode/content ${JSON.stringify(params)}`);
    return JSON.stringify({ type: 'object', required: ['name'] });
  });
  await peer.notify('workspace/didChangeConfiguration', {
    settings: { json: { validate: { enable: true }, format: { enable: true } }, http: {} },
  });
  const uri = 'file:///app/data.json';
  await open(uri, 'json', '{ "$schema": "vscode://schemas/name", "a": 1 }');
  expect(await diagnosed(1)).toMatchObject({
    diagnostics: [{ message: expect.stringContaining('Missing property "name"') }],
  });
  // The server sends its parameter as it is or in an array; both forms are answered.
  expect(asked.some((each) => each.includes('vscode://schemas/name'))).toBe(true);
  await leave();
});

test('a cancelled request is still answered, and the server continues', async () => {
  const { peer, open, diagnosed, leave } = await start('json');
  const uri = 'file:///app/large.json';
  await open(
    uri,
    'json',
    JSON.stringify(
      Array.from({ length: 20_000 }, (_, n) => ({ n })),
      null,
      1,
    ),
  );
  const abort = new AbortController();
  const asked = peer.request('textDocument/documentSymbol', { textDocument: { uri } }, { signal: abort.signal });
  asked.catch(() => undefined);
  abort.abort(new Error('not needed any more'));
  await expect(asked).rejects.toThrow('not needed any more');
  await diagnosed(1);
  await leave();
  expect(peer.lateAnswers).toBe(1);
});
