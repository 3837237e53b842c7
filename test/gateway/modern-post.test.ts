// A POST of 2026-07-28: invalid requests, and the status and code of their refusal.

import { afterEach, expect, test } from 'vitest';
import { type HttpServing, serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Server } from '../../src/mcp/server/server.ts';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

let http: HttpServing | undefined;
afterEach(() => http?.close());

async function post(method: string, params: object, headers: Record<string, string>) {
  const server = new Server({ name: 'posted-to', version: '1.0.0' });
  server.tool('echo', {}, () => 'echoed');
  http = await serveHttp(server, { token: false });
  const response = await fetch(http.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
  });
  return { status: response.status, body: (await response.json()) as { id: number; error?: { code: number } } };
}

const discover = (meta: object, headers: Record<string, string>) => post('server/discover', { _meta: meta }, headers);

const current = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' };

test('a request without client capabilities gets 400', async () => {
  expect(await discover({ [VERSION]: '2026-07-28' }, current)).toMatchObject({
    status: 400,
    body: { id: 7, error: { code: -32602 } },
  });
});

test('a body with another version than the header is a mismatch, even if the version is unknown', async () => {
  expect(await discover({ [VERSION]: '2999-01-01', [CAPABILITIES]: {} }, current)).toMatchObject({
    status: 400,
    body: { id: 7, error: { code: -32020 } },
  });
});

test('an unknown version is refused, whatever other headers the request has', async () => {
  const headers = { 'mcp-protocol-version': '2999-01-01' };
  expect(await discover({ [VERSION]: '2999-01-01', [CAPABILITIES]: {} }, headers)).toMatchObject({
    status: 400,
    body: { id: 7, error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2999-01-01' } } },
  });
});

test.each([
  ['ZWNobw==', 200],
  ['ZWNobw', 400],
  ['ZWNo!w==', 400],
])('decodes a name in base64, which must have padding and a valid alphabet: %s', async (encoded, status) => {
  const headers = { ...current, 'mcp-method': 'tools/call', 'mcp-name': `=?base64?${encoded}?=` };
  const params = { name: 'echo', arguments: {}, _meta: { [VERSION]: '2026-07-28', [CAPABILITIES]: {} } };
  const answer = await post('tools/call', params, headers);
  expect(answer).toMatchObject({ status, body: { id: 7 } });
  expect(answer.body.error?.code).toBe(status === 400 ? -32020 : undefined);
});
