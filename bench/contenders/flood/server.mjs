// An MCP server that behaves until its tool `flood` is called, and then floods its host until it is killed, in the way
// that its argument names. It writes synchronously: only a full pipe slows it down.

import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const BLOCK_BYTES = 64 * 1024;
const KB = 1024;
const MB = 1024 * KB;
const rpc = (rest) => JSON.stringify({ jsonrpc: '2.0', ...rest });

/** The data that is written repeatedly: a line, or a piece of text without a newline. `to` is the file descriptor. */
const floods = {
  'half JSON lines': () => ({ line: '{"jsonrpc":"2.0","id":' }),
  'junk text': () => ({ line: 'Listening on all interfaces, have fun' }),
  'unknown requests': () => ({ line: rpc({ id: 'x', method: 'no/such', params: {} }) }),
  'unknown notifications': () => ({ line: rpc({ method: 'notifications/unheard-of', params: { a: 1 } }) }),
  'answers to nothing': () => ({ line: rpc({ id: 'nobody', result: {} }) }),
  'errors to nothing': () => ({ line: rpc({ id: 'nobody', error: { code: -1, message: 'no' } }) }),
  'broken messages': () => ({ line: rpc({ id: 7, method: 8 }) }),
  'frames beyond the limit': () => ({ line: rpc({ id: 'long', result: { text: 'x'.repeat(70 * MB) } }) }),
  'progress notifications': (token) => ({
    line: rpc({ method: 'notifications/progress', params: { progressToken: token, progress: 1 } }),
  }),
  'list_changed storm': () => ({ line: rpc({ method: 'notifications/tools/list_changed' }) }),
  'log messages': () => ({ line: rpc({ method: 'notifications/message', params: { level: 'info', data: 'busy' } }) }),
  'stderr with newlines': () => ({ line: 'warning: something that somebody should look at', to: 2 }),
  'stderr without newlines': () => ({ piece: '.'.repeat(KB), to: 2 }),
};

const [kind] = process.argv.slice(2);
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: /^202[45]/.test(protocolVersion) ? protocolVersion : '2025-11-25',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'flood', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'flood', inputSchema: { type: 'object' } }] }),
};
const large = { content: [{ type: 'text', text: 'y'.repeat(MB) }] };

createInterface({ input: process.stdin }).on('line', (text) => {
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) return;
  if (method !== 'tools/call') {
    const result = answers[method]?.(params ?? {});
    console.log(rpc(result ? { id, result } : { id, error: { code: -32601, message: 'Method not found' } }));
  } else if (kind === 'large answers') console.log(rpc({ id, result: large }));
  else if (kind !== 'nothing') flood(floods[kind](params?._meta?.progressToken));
});

function flood({ line, piece = `${line}\n`, to = 1 }) {
  const block = Buffer.from(piece.repeat(Math.max(1, Math.floor(BLOCK_BYTES / piece.length))));
  for (;;) writeWhole(to, block);
}

function writeWhole(to, block) {
  for (let at = 0; at < block.length; ) {
    try {
      at += writeSync(to, block, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') process.exit();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1); // the pipe is full
    }
  }
}
