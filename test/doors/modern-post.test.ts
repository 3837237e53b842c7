// A POST of 2026-07-28: what is refused, with which status and code.

import { afterEach, expect, test } from 'vitest';
import { type HttpServing, serveHttp } from '../../src/doors/http/serve-http.ts';
import { Server } from '../../src/mcp/server/server.ts';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

let http: HttpServing | undefined;
afterEach(() => http?.close());

/** The method is always `server/discover`. */
async function discover(meta: object, headers: Record<string, string>) {
  http = await serveHttp(new Server({ name: 'posted-to', version: '1.0.0' }), { token: false });
  const response = await fetch(http.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'server/discover', params: { _meta: meta } }),
  });
  return { status: response.status, body: await response.json() };
}

const current = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' };

test('a request that does not say what its client can do gets 400', async () => {
  expect(await discover({ [VERSION]: '2026-07-28' }, current)).toMatchObject({
    status: 400,
    body: { id: 7, error: { code: -32602 } },
  });
});

test('a body that names another version than the header is a mismatch, whether or not the version is known', async () => {
  expect(await discover({ [VERSION]: '2999-01-01', [CAPABILITIES]: {} }, current)).toMatchObject({
    status: 400,
    body: { id: 7, error: { code: -32020 } },
  });
});

test('an unknown version is refused as such, whatever other headers it has', async () => {
  const headers = { 'mcp-protocol-version': '2999-01-01' };
  expect(await discover({ [VERSION]: '2999-01-01', [CAPABILITIES]: {} }, headers)).toMatchObject({
    status: 400,
    body: { id: 7, error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2999-01-01' } } },
  });
});
