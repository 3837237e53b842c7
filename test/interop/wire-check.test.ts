// The check of all messages in the matrix detects invalid messages.

import { expect, test } from 'vitest';
import { checkWire } from './wire-check.ts';
import type { WireRecord } from './wire-record.ts';

const META = 'io.modelcontextprotocol/';
const envelope = {
  [`${META}protocolVersion`]: '2026-07-28',
  [`${META}clientCapabilities`]: {},
  [`${META}clientInfo`]: { name: 'c', version: '1' },
};
const _meta = { [`${META}serverInfo`]: { name: 's', version: '1' } };
const text = { type: 'text', text: 'hi' };

const fromClient = (message: object): WireRecord[] => [
  { connection: 1, from: 'client', message: { jsonrpc: '2.0', ...message } },
];
const fromServer = (message: object): WireRecord[] => [
  { connection: 1, from: 'server', message: { jsonrpc: '2.0', ...message } },
];
const exchange = (method: string, params: object | undefined, result: object): WireRecord[] => [
  ...fromClient({ id: 1, method, ...(params && { params }) }),
  ...fromServer({ id: 1, result }),
];
const modern = (method: string, params: object, result: object) =>
  exchange(method, { ...params, _meta: envelope }, { _meta, ...result });

const page = { method: 'elicitation/create', params: { mode: 'url', message: 'Sign in', url: 'https://example.org' } };

test.each<[string, WireRecord[]]>([
  ['a request', fromClient({ id: 1, method: 'tools/call', params: { name: 'a', _meta: { progressToken: 1 } } })],
  ['an error without an id', fromServer({ error: { code: -32700, message: 'what?' } })],
  ['a result', exchange('tools/call', { name: 'a' }, { content: [text], isError: true })],
  ['a modern result', modern('tools/call', { name: 'a' }, { resultType: 'complete', content: [text] })],
  ['a question by URL', modern('tools/call', { name: 'a' }, { resultType: 'input_required', inputRequests: { page } })],
])('%s passes', (_, records) => {
  const reports = [checkWire(records, 'client'), checkWire(records, 'server')];
  expect(reports.flatMap(({ violations }) => violations)).toEqual([]);
  expect(reports.map(({ checked }) => checked).reduce((sum, count) => sum + count)).toBe(records.length);
});

test.each<[string, WireRecord[], RegExp]>([
  ['an extra member', fromClient({ id: 1, method: 'ping', extra: 1 }), /extra/],
  ['an id of null', fromServer({ id: null, error: { code: -32700, message: 'what?' } }), /not JSON-RPC/],
  ['an unknown method', fromClient({ id: 1, method: 'tools/eat' }), /there is no tools\/eat/],
  ['an unknown notification', fromServer({ method: 'notifications/lunch' }), /there is no notifications\/lunch/],
  ['parameters of a wrong type', fromClient({ id: 1, method: 'tools/call', params: { name: 1 } }), /expected string/],
  ['an unexpected answer', fromServer({ id: 9, result: {} }), /answer to nothing/],
  ['a result with members that must be empty', exchange('ping', undefined, { pong: true }), /pong/],
  ['content of an unknown type', exchange('tools/call', { name: 'a' }, { content: [{ type: 'smell' }] }), /content/],
  ['content that is missing', exchange('tools/call', { name: 'a' }, {}), /does not know/],
  [
    'an unknown capability',
    fromClient({ id: 1, method: 'initialize', params: { capabilities: {} } }),
    /protocolVersion/,
  ],
  ['a result without a type', modern('tools/call', { name: 'a' }, { content: [text] }), /resultType/],
  ['a missing ttlMs', modern('tools/list', {}, { resultType: 'complete', tools: [] }), /ttlMs/],
  [
    'a ttlMs where none is allowed',
    modern('tools/call', { name: 'a' }, { resultType: 'complete', content: [text], ttlMs: 0, cacheScope: 'private' }),
    /out of place/,
  ],
  ['no sender', exchange('tools/list', { _meta: envelope }, { resultType: 'complete', tools: [] }), /serverInfo/],
  [
    'input_required without a question',
    modern('tools/call', { name: 'a' }, { resultType: 'input_required' }),
    /neither/,
  ],
  [
    'a question of an unknown kind',
    modern(
      'tools/call',
      { name: 'a' },
      { resultType: 'input_required', inputRequests: { a: { method: 'who/are/you' } } },
    ),
    /there is no a question/,
  ],
  [
    'a member that was removed',
    modern(
      'tools/call',
      { name: 'a' },
      {
        resultType: 'input_required',
        inputRequests: { a: { ...page, params: { ...page.params, elicitationId: 'x' } } },
      },
    ),
    /elicitationId/,
  ],
  [
    'an unexpected response to a question',
    fromClient({ id: 1, method: 'tools/call', params: { name: 'a', inputResponses: { a: {} }, _meta: envelope } }),
    /inputResponses\.a/,
  ],
])('%s is a violation', (_, records, words) => {
  const { violations } = checkWire(records, records.at(-1)!.from);
  expect(violations.join()).toMatch(words);
});
