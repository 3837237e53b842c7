// A server whose definitions are those in the file that it is started with, read anew for every request. Written without the library, so
// that it can list anything. `perClient` of the file replaces lists for a client of 2026-07-28, by its name.

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file] = process.argv.slice(2);
const isModern = process.env.ERA === 'modern';
const held = [];
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

function definitions({ _meta } = {}) {
  const { perClient = {}, ...all } = JSON.parse(readFileSync(file, 'utf8'));
  const client = _meta?.['io.modelcontextprotocol/clientInfo']?.name;
  return { ...all, ...perClient[client] };
}

let listings = 0;

function facts() {
  const { instructions, announces = true, prompts, resourceTemplates, contents } = definitions();
  const listed = announces ? { listChanged: true } : {};
  return {
    capabilities: {
      tools: listed,
      ...(prompts && { prompts: listed }),
      ...((resourceTemplates || contents) && { resources: listed }),
    },
    serverInfo: { name: 'follows-a-file', version: '1.0.0' },
    ...(instructions !== undefined && { instructions }),
  };
}

const page = (member, params) => {
  const { [member]: listed = [], ttlMs = 0, counts } = definitions(params);
  if (counts) listings++;
  const entries = counts ? listed.map((entry) => ({ ...entry, description: `Listing ${listings}.` })) : listed;
  return { [member]: entries, ...(isModern && { ttlMs, cacheScope: 'private' }) };
};

const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, ...facts() }),
  'server/discover': (params) => {
    if (!isModern) return undefined;
    const { serverInfo, ...others } = facts(params);
    const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
    return { supportedVersions: ['2026-07-28'], ...others, ttlMs: 0, cacheScope: 'private', _meta };
  },
  ping: () => ({}),
  'tools/list': (params) => page('tools', params),
  'prompts/list': (params) => page('prompts', params),
  'resources/templates/list': (params) => page('resourceTemplates', params),
  'resources/list': (params) => {
    const { contents = {} } = definitions(params);
    return {
      resources: Object.keys(contents).map((uri) => ({ uri, name: uri })),
      ...(isModern && { ttlMs: 0, cacheScope: 'private' }),
    };
  },
  'resources/read': ({ uri }) => {
    const text = definitions().contents?.[uri] ?? 'data';
    return { contents: [{ uri, text }], ...(isModern && { ttlMs: 0, cacheScope: 'private' }) };
  },
  'prompts/get': ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `prompt ${name}` } }] }),
  'tools/call': ({ name }) => ({ content: [{ type: 'text', text: `called ${name}` }] }),
};

/** Tools that steer the server. All others answer at once. */
function steer(id, name) {
  if (name === 'hold') return held.push(id);
  if (name === 'release') for (const other of held.splice(0)) send({ id: other, result: answer('held') });
  if (name === 'announce') send({ method: 'notifications/tools/list_changed' });
  if (name === 'exit') process.exit(1);
  return undefined;
}

function answer(text) {
  return { content: [{ type: 'text', text }], ...(isModern && { resultType: 'complete' }) };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'tools/call' && steer(id, params.name) !== undefined) return;
  if (method === 'subscriptions/listen') {
    const subscription = { 'io.modelcontextprotocol/subscriptionId': id };
    send({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: params.notifications, _meta: subscription },
    });
    return;
  }
  const result = Object.hasOwn(methods, method) ? methods[method](params) : undefined;
  if (result) send({ id, result: isModern ? { resultType: 'complete', ...result } : result });
  else send({ id, error: { code: -32601, message: 'Method not found' } });
});
