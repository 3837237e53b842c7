// The stdio server behind every gateway: revision 2025-11-25, one tool that echoes, and one that asks a question and
// returns the answer. The echo tool sends one notification before its result if the call has a progress token; its
// message is the text.

import { lineWriter, readLines } from '../raw/lines.mjs';

const write = lineWriter(process.stdout);
const send = (message) => write(JSON.stringify({ jsonrpc: '2.0', ...message }));

const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const results = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'echo', version: '1.0.0' },
  },
  ping: {},
  'tools/list': { tools: [{ name: 'echo', inputSchema }] },
};
/** Calls that wait for the answer to a question, by the id of the question. */
const asking = new Map();

readLines(process.stdin, (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === undefined) return answered(id);
  if (method === 'tools/call') return call(id, params);
  const result = results[method];
  send(result ? { id, result } : { id, error: { code: -32601, message: `Method not found: ${method}` } });
});

function answered(question) {
  send({ id: asking.get(question), result: { content: [] } });
  asking.delete(question);
}

function ask(id) {
  const question = `question ${id}`;
  asking.set(question, id);
  const requestedSchema = { type: 'object', properties: {} };
  send({ id: question, method: 'elicitation/create', params: { message: 'Well?', requestedSchema } });
}

function call(id, { name, arguments: { text } = {}, _meta }) {
  if (name === 'ask') return ask(id);
  const progressToken = _meta?.progressToken;
  if (progressToken !== undefined) {
    send({ method: 'notifications/progress', params: { progressToken, progress: 1, message: text } });
  }
  send({ id, result: { content: [{ type: 'text', text }] } });
}
