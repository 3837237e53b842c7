import { getNodeValue, parseTree } from 'jsonc-parser';
import { expect, test } from 'vitest';
import type { HostId } from '../host-program.ts';
import { hostProgram } from '../host-programs.ts';

function read(host: HostId, entry: object, file: object = {}) {
  const root = parseTree(JSON.stringify({ ...file, one: entry }))!;
  const node = root.children!.at(-1)!.children![1]!;
  const ours = hostProgram(host).format.read(node, 'one', root);
  return typeof ours === 'string' ? ours : getNodeValue(ours);
}

test.each<[HostId, what: string, theirs: object, ours: object, file?: object]>([
  ['claude-code', 'keys without an effect here', { command: 'x', alwaysLoad: true }, { command: 'x' }],
  [
    'windsurf',
    'serverUrl',
    { serverUrl: 'https://a', disabledTools: ['t'] },
    { url: 'https://a', tools: { deny: ['t'] } },
  ],
  [
    'cursor',
    'a client',
    { url: 'https://a', auth: { CLIENT_ID: 'a', CLIENT_SECRET: '${env:B}', scopes: ['c'] } },
    { url: 'https://a', oauth: { clientId: 'a', clientSecret: '${env:B}', scopes: ['c'] } },
  ],
  ['codex', 'a client', { oauth: { client_id: 'a' }, scopes: ['c'] }, { oauth: { clientId: 'a', scopes: ['c'] } }],
  [
    'jetbrains',
    'headers of Copilot',
    { url: 'https://a', requestInit: { headers: { A: 'b' } } },
    { url: 'https://a', headers: { A: 'b' } },
  ],
  [
    'codex',
    'names and seconds',
    {
      command: 'x',
      startup_timeout_sec: 1.5,
      tool_timeout_sec: 60,
      enabled_tools: ['a'],
      disabled_tools: ['b'],
      tools: { a: { approval_mode: 'auto' } },
    },
    { command: 'x', startupTimeoutMs: 1500, requestTimeoutMs: 60_000, tools: { allow: ['a'], deny: ['b'] } },
  ],
  [
    'codex',
    'variables by name',
    { url: 'https://a', bearer_token_env_var: 'T', http_headers: { A: 'b' }, env_http_headers: { B: 'C' } },
    { url: 'https://a', headers: { Authorization: 'Bearer ${T}', A: 'b', B: '${C}' } },
  ],
  [
    'codex',
    'variables that are passed on',
    { command: 'x', env: { A: '1' }, env_vars: ['A', { name: 'B' }] },
    { command: 'x', env: { A: '1', B: '${B:-}' } },
  ],
  [
    'zed',
    'an object as command',
    { source: 'custom', command: { path: 'x', args: ['a'], env: { A: '1' } } },
    { command: 'x', args: ['a'], env: { A: '1' } },
  ],
  [
    'zed',
    'a flat entry',
    { enabled: false, url: 'https://a', headers: {} },
    { enabled: false, url: 'https://a', headers: {} },
  ],
  ['cline', 'a url without type', { url: 'https://a' }, { url: 'https://a', type: 'sse' }],
  [
    'cline',
    'the older key of the type, and seconds',
    { url: 'https://a', transportType: 'http', timeout: 30 },
    { url: 'https://a', type: 'http', requestTimeoutMs: 30_000 },
  ],
  [
    'cline',
    'an object as transport',
    { transport: { type: 'streamableHttp', url: 'https://a' }, disabled: true },
    { disabled: true, type: 'streamableHttp', url: 'https://a' },
  ],
  [
    'gemini',
    'httpUrl before url',
    { url: 'https://sse', httpUrl: 'https://a', timeout: 5 },
    { url: 'https://a', type: 'http', requestTimeoutMs: 5 },
  ],
  [
    'gemini',
    'variables without braces',
    { command: 'x', env: { A: '$A-${B}' }, args: ['$$5'] },
    { command: 'x', env: { A: '${A}-${B}' }, args: ['$$5'] },
  ],
  ['gemini', 'an excluded server', { command: 'x' }, { command: 'x', disabled: true }, { mcp: { excluded: ['one'] } }],
  [
    'gemini',
    'a server that is not allowed',
    { command: 'x' },
    { command: 'x', disabled: true },
    { mcp: { allowed: ['two'] } },
  ],
  [
    'continue',
    'headers and secrets',
    { name: 'one', url: 'https://a', requestOptions: { headers: { A: '${{ secrets.B }}' } } },
    { url: 'https://a', headers: { A: '${B}' } },
  ],
  ['copilot', 'all tools', { type: 'local', command: 'x', tools: ['*'] }, { command: 'x' }],
  ['copilot', 'some tools', { url: 'https://a', tools: ['t'] }, { url: 'https://a', tools: { allow: ['t'] } }],
  ['kiro', 'tools', { url: 'https://a', disabledTools: ['t'] }, { url: 'https://a', tools: { deny: ['t'] } }],
  [
    'opencode',
    'an array as command',
    { type: 'local', command: ['x', 'a', 'b'], environment: { A: '{env:B}' }, enabled: false },
    { command: 'x', args: ['a', 'b'], env: { A: '${B}' }, enabled: false },
  ],
  ['opencode', 'a remote server', { type: 'remote', url: 'https://a', timeout: 5 }, { url: 'https://a' }],
])('%s: reads %s', (host, _, theirs, ours, file) => {
  expect(read(host, theirs, file)).toEqual(ours);
});

test.each<[HostId, object]>([
  ['zed', { source: 'extension', settings: {} }],
  ['continue', { uses: 'someone/memory' }],
  ['opencode', { enabled: true }],
])('%s: explains entries that cannot run here', (host, entry) => {
  expect(read(host, entry)).toMatch(/ignored$/);
});

const command = {
  command: 'npx',
  args: ['-y', 'x'],
  env: { KEY: '${KEY}', MODE: 'a' },
  requestTimeoutMs: 30_000,
  restart: 'never',
};
const remote = { url: 'https://a', headers: { Authorization: 'Bearer ${TOKEN}', Name: 'b' } };
const plain = { command: 'npx', args: ['-y', 'x'], env: { KEY: '${KEY}', MODE: 'a' } };
const env = { KEY: '${env:KEY}', MODE: 'a' };
const headers = { Authorization: 'Bearer ${env:TOKEN}', Name: 'b' };

test.each<[HostId, ofCommand: object, ofRemote: object]>([
  ['claude-desktop', plain, remote],
  ['claude-code', { ...plain, type: 'stdio' }, { ...remote, type: 'http' }],
  ['cursor', { ...plain, env }, { url: 'https://a', headers }],
  ['vscode', { ...plain, env, type: 'stdio' }, { url: 'https://a', headers, type: 'http' }],
  [
    'codex',
    { command: 'npx', args: ['-y', 'x'], env: { MODE: 'a' }, env_vars: ['KEY'], tool_timeout_sec: 30 },
    { url: 'https://a', bearer_token_env_var: 'TOKEN', http_headers: { Name: 'b' } },
  ],
  ['windsurf', { ...plain, env }, { serverUrl: 'https://a', headers }],
  ['zed', { source: 'custom', ...plain }, { source: 'custom', ...remote }],
  ['cline', { ...plain, env, timeout: 30 }, { url: 'https://a', headers, type: 'streamableHttp' }],
  ['gemini', { ...plain, timeout: 30_000 }, { httpUrl: 'https://a', headers: remote.headers }],
  ['jetbrains', plain, { url: 'https://a', headers: remote.headers }],
  [
    'continue',
    { ...plain, env: { KEY: '${{ secrets.KEY }}', MODE: 'a' } },
    {
      url: 'https://a',
      requestOptions: { headers: { Authorization: 'Bearer ${{ secrets.TOKEN }}', Name: 'b' } },
      type: 'streamable-http',
    },
  ],
  ['copilot', { ...plain, type: 'local', tools: ['*'] }, { ...remote, type: 'http', tools: ['*'] }],
  ['kiro', plain, remote],
  [
    'opencode',
    { type: 'local', command: ['npx', '-y', 'x'], environment: { KEY: '{env:KEY}', MODE: 'a' } },
    { type: 'remote', url: 'https://a', headers: { Authorization: 'Bearer {env:TOKEN}', Name: 'b' } },
  ],
])('%s: writes our entries in its format', (host, ofCommand, ofRemote) => {
  const { write } = hostProgram(host).format;
  expect(write(command)).toEqual(ofCommand);
  expect(write(remote)).toEqual(ofRemote);
});

test.each<[HostId, object]>([
  ['codex', { command: 'x', enabled: false }],
  ['zed', { source: 'custom', command: 'x', enabled: false }],
  ['cline', { command: 'x', disabled: true }],
  ['windsurf', { command: 'x', disabled: true }],
  ['claude-desktop', { command: 'x' }],
])('%s: reads and writes a disabled entry', (host, expected) => {
  const { write, disables } = hostProgram(host).format;
  expect(write({ command: 'x', disabled: true })).toEqual(expected);
  expect(disables === undefined).toBe(host === 'claude-desktop');
});
