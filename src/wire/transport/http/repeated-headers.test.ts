import { expect, test, vi } from 'vitest';
import { OwnRequest, SharedMembers, SharingRequest } from '../../jsonrpc/message-text.ts';
import { repeatedHeaders } from './repeated-headers.ts';

const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
const version = ['MCP-Protocol-Version', '2026-07-28'];

test('repeats the version, the method and the name of the target', () => {
  const of = (method: string, params: object) => repeatedHeaders(new OwnRequest(1, method, { ...params, _meta }));
  expect(of('tools/call', { name: 'echo' })).toEqual([...version, 'Mcp-Method', 'tools/call', 'Mcp-Name', 'echo']);
  expect(of('resources/read', { uri: 'a:b', name: 'no' })).toContain('a:b');
  expect(of('tools/list', { name: 'no' })).toEqual([...version, 'Mcp-Method', 'tools/list']);
  expect(of('tools/call', { name: 'größe' })).toContain('=?base64?Z3LDtsOfZQ==?=');
});

test('a message without the envelope belongs to a session, and has no headers', () => {
  expect(repeatedHeaders(new OwnRequest(1, 'tools/call', { name: 'echo' }))).toBeUndefined();
  expect(repeatedHeaders({ jsonrpc: '2.0', id: 1, result: { _meta } })).toBeUndefined();
});

test('does not combine shared parameters with the others', () => {
  const request = new SharingRequest(1, 'tools/call', { name: 'echo' }, new SharedMembers({ _meta }));
  const joined = vi.spyOn(request, 'params', 'get');
  expect(repeatedHeaders(request)).toEqual([...version, 'Mcp-Method', 'tools/call', 'Mcp-Name', 'echo']);
  expect(joined).not.toHaveBeenCalled();
});

test('adds further headers, which never replace those that describe the request', () => {
  const further = { 'Mcp-Param-Region': 'north', 'MCP-Method': 'other', authorization: 'other' };
  const headers = repeatedHeaders(new OwnRequest(1, 'tools/list', { _meta }), further);
  expect(headers).toEqual([...version, 'Mcp-Method', 'tools/list', 'Mcp-Param-Region', 'north']);
});
