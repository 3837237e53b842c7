import { expect, test } from 'vitest';
import { RpcError } from '../../../base/errors.ts';
import { newClient, type Service, type Watcher } from '../../../mcp/service.ts';
import { WebExchange } from './exchange.ts';
import { checkedClient, ToolHeaders, toolHeaderMismatch } from './header-checks.ts';

const client = {
  identity: newClient(),
  revision: '2026-07-28',
  capabilities: {},
  info: undefined,
  logLevel: undefined,
} as const;

const go = { method: 'tools/call', params: { name: 'go' } };

/** A service with one tool whose header name contains the number of changes. */
class ChangingTools implements Service {
  changes = 0;
  lists = 0;
  watchers: Watcher[] = [];

  describe() {
    return { info: { name: 'changing', version: '1' }, capabilities: { tools: {} } };
  }

  async request() {
    this.lists++;
    const properties = { place: { type: 'string', 'x-mcp-header': `Place-${this.changes}` } };
    return { tools: [{ name: 'go', inputSchema: { type: 'object', properties } }] };
  }

  notify() {
    // this service never notifies
  }

  async watch(watcher: Watcher) {
    await new Promise(setImmediate);
    this.watchers.push(watcher);
    return () => undefined;
  }

  change() {
    this.changes++;
    for (const watcher of this.watchers) watcher.notified('notifications/tools/list_changed', undefined);
  }
}

test('notices a change of the tools before the subscription has begun', async () => {
  const service = new ChangingTools();
  const headers = new ToolHeaders(service);
  const first = headers.of(go, client);
  service.change();
  expect(await first).toEqual([{ name: 'Place-1', path: ['place'] }]);
  await headers.close();
});

test('lists the tools once until they change, and then returns them without a promise', async () => {
  const service = new ChangingTools();
  const headers = new ToolHeaders(service);
  await Promise.all([headers.of(go, client), headers.of(go, client)]);
  expect(headers.of(go, client)).toEqual([{ name: 'Place-0', path: ['place'] }]);
  expect(headers.of({ ...go, params: { name: 'other' } }, client)).toBeUndefined();
  expect(service.lists).toBe(1);
  service.change();
  expect(await headers.of(go, client)).toEqual([{ name: 'Place-1', path: ['place'] }]);
  await headers.close();
});

const exchangeWith = (headers: Record<string, string>) =>
  new WebExchange(new Request('http://localhost/', { method: 'POST', headers }));

const texts: [header: string, argument: unknown, isSame: boolean][] = [
  ['42', 42, true],
  ['42.0', 42, true],
  ['-7', -7, true],
  ['1000000000000000000000', 1e21, true],
  ['9007199254740992', 9007199254740992, true],
  ['true', true, true],
  ['0042', '0042', true],
  ['0x2a', 42, false],
  ['4.2e1', 42, false],
  ['042', 42, false],
  ['42.5', 42, false],
  ['', 0, false],
  ['9007199254740993', 9007199254740992, false],
  ['9007199254740992', '9007199254740993', false],
  ['42', '0042', false],
  ['42.0', '42', false],
  ['0x2a', '42', false],
];

test.each(texts)('the header Mcp-Param-Account: %s for the argument %j: %s', (header, argument, isSame) => {
  const exchange = exchangeWith({ 'mcp-param-account': header });
  const wrong = toolHeaderMismatch(exchange, [{ name: 'Account', path: ['account'] }], { account: argument });
  expect(wrong === undefined).toBe(isSame);
});

test.each([
  ['42', '42', true],
  ['0x2a', '42', false],
  ['42.0', '42', false],
  ['42', '0042', false],
  ['42', 42, false],
])('the header Mcp-Name: %s for the tool %j: %s', (header, name, isSame) => {
  const exchange = exchangeWith({
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': header,
  });
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, _meta: meta } } as const;
  expect(!(checkedClient(exchange, request, meta, newClient()) instanceof RpcError)).toBe(isSame);
});
