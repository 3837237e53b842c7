import { expect, test } from 'vitest';
import { newClient, type Service, type Watcher } from '../../../mcp/service.ts';
import { ToolHeaders } from './tool-headers.ts';

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

test('a change of the tools before the watch has begun is not missed', async () => {
  const service = new ChangingTools();
  const headers = new ToolHeaders(service);
  const first = headers.of(go, client);
  service.change();
  expect(await first).toEqual([{ name: 'Place-1', path: ['place'] }]);
  await headers.close();
});

test('the tools are listed once until they change, and known without a promise after that', async () => {
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
