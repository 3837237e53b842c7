// A server with state, so that callers can tell whether they share its process. It speaks the protocol without a
// library, so that it starts quickly. START_FILE gets a line for each process.

import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { START_FILE } = process.env;
if (START_FILE) appendFileSync(START_FILE, `${process.pid}\n`);

const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
let count = 0;
const tools = ['add', 'pid', 'hold', 'free', 'touch', 'learn', 'die'];
const held = [];

/** Returning undefined sends no answer. */
const calls = {
  add: () => text(++count),
  pid: () => text(process.pid),
  /** Answered by a later `free`. */
  hold: (id) => void held.push(id),
  free: () => {
    for (const id of held.splice(0)) send({ id, result: text('freed') });
    return text('done');
  },
  touch: () => {
    send({ method: 'notifications/resources/updated', params: { uri: 'memory://count' } });
    return text('touched');
  },
  learn: () => {
    tools.push(`learnt_${tools.length}`);
    send({ method: 'notifications/tools/list_changed' });
    return text('learnt');
  },
  die: () => process.kill(process.pid, 'SIGKILL'),
};

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
    serverInfo: { name: 'remembers', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) }),
  'resources/list': () => ({ resources: [{ uri: 'memory://count', name: 'count' }] }),
  'resources/read': () => ({ contents: [{ uri: 'memory://count', text: String(count) }] }),
  'resources/subscribe': () => ({}),
  'resources/unsubscribe': () => ({}),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method !== 'tools/call' && !answers[method])
    return send({ id, error: { code: -32601, message: 'Method not found' } });
  const result = method === 'tools/call' ? calls[params.name](id) : answers[method](params);
  if (result !== undefined) send({ id, result });
});
