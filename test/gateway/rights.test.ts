// The rights of a principal at the servers of a host, over HTTP: entries without permission do not exist for it, in any form of their name.

import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Auth, Principal } from '../../src/host/gateway/access/auth.ts';
import { type HttpServing, serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { answerIn } from '../fixtures/gateway/answer-in.ts';
import { modernMeta } from '../fixtures/gateway/modern-request.ts';

const runsAnything = fileURLToPath(new URL('../fixtures/gateway/runs-anything.mjs', import.meta.url));

const principals: Record<string, Principal> = {
  all: { name: 'all' },
  server: { name: 'server', servers: ['open'] },
  tool: { name: 'tool', servers: ['open'], tools: ['read'] },
  toolOfServer: { name: 'toolOfServer', tools: ['open/r*'] },
  nothing: { name: 'nothing', servers: [] },
};

/** A header names the principal: these tests do not verify identities. */
const auth: Auth = {
  authenticate: (request) => principals[request.header('x-test-principal')!] ?? { status: 401, message: 'Who?' },
};

let host: Host;
let http: HttpServing;

beforeAll(async () => {
  const entry = (name: string) => ({
    command: process.execPath,
    args: [runsAnything, name],
    revision: '2025-11-25' as const,
  });
  host = new Host({ mcpServers: { open: entry('open'), hidden: entry('hidden') } });
  await host.start();
  http = await serveHttp((name) => (name === undefined || host.names.includes(name) ? host.service(name) : undefined), {
    auth,
  });
});
afterAll(async () => {
  await http?.close();
  await host?.stop();
});

interface Answer {
  status: number;
  text: string;
  session: string | null;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

async function post(who: string, url: string, headers: Record<string, string>, message: object): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-test-principal': who,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
  const text = await response.text();
  const session = response.headers.get('mcp-session-id');
  return { status: response.status, text, session, ...answerIn(text) };
}

type Params = Record<string, unknown>;

/** Sends a request of 2026-07-28. */
function send(who: string, path: string, method: string, params: Params = {}, url = http.url): Promise<Answer> {
  const name = params.name ?? params.uri;
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': `=?base64?${Buffer.from(name).toString('base64')}?=` }),
  };
  return post(who, `${url}${path}`, headers, { id: 1, method, params: { ...params, _meta: modernMeta } });
}

const sessions = new Map<string, Promise<Answer>>();

/** Sends a request of 2025-11-25, in one session per principal and path. */
async function sendInSession(who: string, path: string, method: string, params: Params): Promise<Answer> {
  const key = `${who} ${path}`;
  const initialize = {
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  };
  if (!sessions.has(key)) sessions.set(key, post(who, `${http.url}${path}`, {}, initialize));
  const { session } = await sessions.get(key)!;
  return post(who, `${http.url}${path}`, { 'mcp-session-id': session! }, { id: 1, method, params });
}

async function names(who: string, path: string, list: string, member: string, key: string): Promise<string[]> {
  const { result } = await send(who, path, list);
  return (result![member] as Record<string, string>[]).map((entry) => entry[key]!);
}
const tools = (who: string, path: string) => names(who, path, 'tools/list', 'tools', 'name');

test('lists contain only permitted entries', async () => {
  expect(await tools('all', '/open')).toEqual(['read', 'write', 'only_open']);
  expect(await tools('tool', '/open')).toEqual(['read']);
  expect(await tools('toolOfServer', '/open')).toEqual(['read']);
  expect((await tools('all', '')).filter((name) => name.includes('hidden'))).not.toEqual([]);
  expect(await tools('server', '')).toEqual(['open__read', 'open__write', 'open__only_open']);
  expect(await tools('tool', '')).toEqual(['open__read']);
  expect(await tools('nothing', '')).toEqual([]);
  expect(await names('server', '', 'resources/list', 'resources', 'uri')).toEqual(['doc://open']);
  expect(await names('server', '', 'resources/templates/list', 'resourceTemplates', 'uriTemplate')).toEqual([
    'doc://open/{id}',
  ]);
  expect(await names('server', '', 'prompts/list', 'prompts', 'name')).toEqual(['open__ask_open']);
});

test('answers to a restricted principal do not name forbidden servers', async () => {
  for (const list of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list', 'server/discover']) {
    expect((await send('server', '', list)).text).not.toContain('hidden');
  }
});

test('permitted tools can be called', async () => {
  for (const path of ['', '/open']) {
    expect((await send('tool', path, 'tools/call', { name: 'read' })).text).toContain('open ran tools/call');
    expect((await send('server', path, 'resources/read', { uri: 'doc://open/7' })).text).toContain('read by open');
    expect((await send('server', path, 'prompts/get', { name: 'ask_open' })).text).toContain('open: ask_open');
  }
});

test('a forbidden server is answered like a server that does not exist', async () => {
  const unknown = async (who: string, name: string) => {
    const { status, text } = await send(who, `/${name}`, 'tools/list');
    return [status, text.replaceAll(name, '<name>')];
  };
  const none = await unknown('server', 'none');
  expect(none[0]).toBe(404);
  expect(await unknown('server', 'hidden')).toEqual(none);
  expect(await unknown('nothing', 'open')).toEqual(none);
  expect((await send('server', '/%68idden', 'tools/list')).status).toBe(404);
  expect((await send('server', '/open%2F..%2Fhidden', 'tools/list')).status).toBe(404);
});

const ref = (type: string, member: object) => ({ ref: { type, ...member }, argument: { name: 'id', value: '' } });

const refused: [who: string, path: string, method: string, params: Record<string, unknown>][] = [
  ['tool', '/open', 'tools/call', { name: 'write' }],
  ['tool', '/open', 'tools/call', { name: 'Read' }],
  ['tool', '/open', 'tools/call', { name: ' read' }],
  ['tool', '/open', 'tools/call', { name: 'read\u0000write' }],
  ['tool', '/open', 'tools/call', { name: ['write'] }],
  ['tool', '/open', 'tools/call', { name: ['read'] }],
  ['tool', '/open', 'tools/call', { name: { toString: 'read' } }],
  ['tool', '/open', 'tools/call', {}],
  ['tool', '/open', 'mcp/tools/call', { name: 'write' }],
  ['tool', '/open', 'mcp/mcp/tools/call', { name: 'write' }],
  ['tool', '/open', 'TOOLS/CALL', { name: 'write' }],
  ['tool', '/open', 'x/run', { name: 'write' }],
  ['tool', '', 'tools/call', { name: 'write' }],
  ['tool', '', 'tools/call', { name: 'open/write' }],
  ['tool', '', 'tools/call', { name: 'open__write' }],
  ['tool', '', 'tools/call', { name: ['write'] }],
  ['tool', '', 'mcp/tools/call', { name: 'write' }],
  ['tool', '', 'x/run', { name: 'write' }],
  ['toolOfServer', '', 'tools/call', { name: 'only_hidden' }],
  ['toolOfServer', '', 'tools/call', { name: 'hidden/read' }],
  ['server', '', 'tools/call', { name: 'only_hidden' }],
  ['server', '', 'tools/call', { name: 'hidden/read' }],
  ['server', '', 'tools/call', { name: 'hidden__read' }],
  ['server', '', 'tools/call', { name: ['hidden/read'] }],
  ['server', '', 'resources/read', { uri: 'doc://hidden' }],
  ['server', '', 'resources/read', { uri: 'doc://hidden/7' }],
  ['server', '', 'resources/read', { uri: 'hidden/doc://hidden/7' }],
  ['server', '', 'resources/read', { uri: 'standpipe://hidden/doc://hidden/7' }],
  ['server', '', 'prompts/get', { name: 'ask_hidden' }],
  ['server', '', 'resources/read', { uri: 'standpipe://hidden/doc://hidden' }],
  ['server', '', 'resources/read', { uri: 'standpipe://%68idden/doc://hidden' }],
  ['server', '', 'resources/read', { uri: 'STANDPIPE://hidden/doc://hidden' }],
  ['server', '', 'resources/read', { uri: ['standpipe://hidden/doc://hidden'] }],
  ['server', '', 'tools/call', { name: 'hidden____read' }],
  ['server', '', 'prompts/get', { name: 'hidden__ask_hidden' }],
  ['server', '', 'prompts/get', { name: 'hidden/ask_hidden' }],
  ['server', '', 'completion/complete', ref('ref/prompt', { name: 'ask_hidden' })],
  ['server', '', 'completion/complete', ref('ref/resource', { uri: 'doc://hidden/{id}' })],
  ['server', '', 'completion/complete', ref('ref/resource', { uri: 'hidden/doc://hidden/{id}' })],
];

test('a method outside MCP is passed on only for principals that may use every tool of the server', async () => {
  expect((await sendInSession('server', '/open', 'x/run', { name: 'write' })).text).toContain('open ran x/run');
  expect((await sendInSession('all', '/open', 'x/run', { name: 'write' })).text).toContain('open ran x/run');
});

test.each(refused)('%s at /mcp%s: refuses %s %j before it reaches a server', async (who, path, method, params) => {
  for (const answer of [await send(who, path, method, params), await sendInSession(who, path, method, params)]) {
    expect(answer.result).toBeUndefined();
    expect([-32601, -32602, -32002, -32020]).toContain(answer.error!.code);
  }
});

test('a session cannot be used by another principal, nor by the same one with other rights', async () => {
  await sendInSession('tool', '/open', 'tools/list', {});
  const { session } = await sessions.get('tool /open')!;
  const list = { id: 9, method: 'tools/list' };
  const status = async (who: string) =>
    (await post(who, `${http.url}/open`, { 'mcp-session-id': session! }, list)).status;
  expect(await status('tool')).toBe(200);
  expect(await status('toolOfServer')).toBe(404);
  const before = principals.tool!;
  principals.tool = { name: 'tool', servers: ['open'] };
  expect(await status('tool')).toBe(404);
  principals.tool = before;
});

test('suggestions for a misspelled name do not contain forbidden names', async () => {
  for (const name of ['only_hidde', 'hidde__read', 'hidden__rea']) {
    expect((await send('server', '', 'tools/call', { name })).text).not.toContain('only_hidden');
    expect((await sendInSession('server', '', 'tools/call', { name })).text).not.toContain('hidden__read');
  }
});

test('a subscription to a resource of a forbidden server is refused', async () => {
  for (const uri of ['doc://hidden', 'standpipe://hidden/doc://hidden']) {
    const wanted = { notifications: { resourceSubscriptions: [uri] } };
    expect((await send('server', '', 'subscriptions/listen', wanted)).error).toBeDefined();
    expect((await sendInSession('server', '', 'resources/subscribe', { uri })).error).toBeDefined();
  }
});

test('the tools of a single server are filtered by its name', async () => {
  const server = new Server({ name: 'open', version: '1' });
  server.tool('read', {}, () => 'it was read');
  server.tool('write', {}, () => 'it was written');
  const alone = await serveHttp(server, { auth });
  try {
    const call = (who: string, name: string) => send(who, '', 'tools/call', { name }, alone.url);
    expect((await call('toolOfServer', 'read')).text).toContain('it was read');
    expect((await call('toolOfServer', 'write')).error).toBeDefined();
    expect((await call('nothing', 'read')).status).toBe(404);
  } finally {
    await alone.close();
  }
});

test('a service without a name is only for principals that may use any server', async () => {
  const server = new Server({ name: 'open', version: '1' });
  server.tool('read', {}, () => 'it was read');
  const nameless = await serveHttp(server.service, { auth });
  try {
    expect((await send('server', '', 'tools/list', {}, nameless.url)).status).toBe(404);
    expect((await send('all', '', 'tools/list', {}, nameless.url)).status).toBe(200);
  } finally {
    await nameless.close();
  }
});
