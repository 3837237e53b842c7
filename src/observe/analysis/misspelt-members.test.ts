import { expect, test } from 'vitest';
import { misspelling } from './schema-check.ts';

const result = (method: string, value: object) => misspelling(method, 'result', value);

test('finds an optional member with another spelling at any depth, in each kind of block', async () => {
  const next = { name: 'next_cursor', meant: 'nextCursor' };
  expect(await result('tools/list', { tools: [], next_cursor: 'x' })).toEqual(next);
  expect(await result('tools/list', { tools: [{ name: 'a', annotations: { read_only_hint: true } }] })).toEqual({
    name: 'read_only_hint',
    meant: 'readOnlyHint',
  });
  const link = { type: 'resource_link', uri: 'a:b', name: 'a', mime_type: 'text/plain' };
  expect(await result('tools/call', { content: [link] })).toEqual({ name: 'mime_type', meant: 'mimeType' });
  const embedded = { type: 'resource', resource: { uri: 'a:b', blob: '', MimeType: 'text/plain' } };
  expect(await result('tools/call', { content: [embedded] })).toEqual({ name: 'MimeType', meant: 'mimeType' });
  const capabilities = { tools: { list_changed: true } };
  expect(await result('initialize', { capabilities })).toEqual({ name: 'list_changed', meant: 'listChanged' });
});

test('accepts names in open objects, names beside the right one, and other names', async () => {
  const free = { next_cursor: 'x', is_error: true, mime_type: 'y', read_only_hint: true, list_changed: true };
  const values = [
    { _meta: free, tools: [{ name: 'a', inputSchema: { ...free, properties: free }, outputSchema: free }] },
    { tools: [], nextCursor: 'x', next_cursor: 'x' },
    { tools: [{ name: 'a', annotations: { vendor_hint: true, readOnlyHint: true, read_only_hint: true } }], meta: {} },
  ];
  for (const value of values) expect(await result('tools/list', value)).toBe(undefined);
  expect(await result('tools/call', { content: [], structuredContent: free })).toBe(undefined);
  expect(await result('tools/call', { content: [{ type: 'vendor', mime_type: 'x' }] })).toBe(undefined);
  expect(await result('initialize', { capabilities: { experimental: free, extensions: free } })).toBe(undefined);
  expect(await misspelling('notifications/message', 'asked', { params: { level: 'info', data: free } })).toBe(
    undefined,
  );
});
