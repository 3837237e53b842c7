// A server that records every run of a tool before it answers, and damages itself on request. It uses no library, which would prevent it
// from breaking the protocol.

import { appendFileSync, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { closeDescriptor } from '../../fixtures/close-descriptor.mjs';

const [journalFile, pidFile] = process.argv.slice(2);
appendFileSync(pidFile, `${process.pid}\n`);
const journal = openSync(journalFile, 'a');
const object = { type: 'object' };
const tools = [
  { name: 'effect', inputSchema: object },
  { name: 'harmless', inputSchema: object, annotations: { idempotentHint: true } },
  { name: 'hurt', inputSchema: object },
];
let cutNextAnswer = false;

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

const injuries = {
  'half-written-frame': () => {
    cutNextAnswer = true;
  },
  'stdout-closed': () => closeDescriptor(1),
  'stderr-flood': () => process.stderr.write('a line on stderr that nobody needs\n'.repeat(60_000)),
  'slow-reader': () => {
    process.stdin.pause();
    setTimeout(() => process.stdin.resume(), 1500);
  },
  'junk-on-stdout': () => process.stdout.write('Loading…\nnot json\n{"half": \n'.repeat(50)),
  exit: () => process.exit(4),
};

const methods = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'journal', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: { id, how } }) => {
    if (name === 'hurt') injuries[how]();
    else writeSync(journal, `${id}\n`);
    return { content: [{ type: 'text', text: String(id ?? how) }] };
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = () => {
    const run = methods[method];
    if (!run) return write({ id, error: { code: -32601, message: 'Method not found' } });
    const result = run(params);
    if (!cutNextAnswer || params?.name === 'hurt') return write({ id, result });
    const text = JSON.stringify({ jsonrpc: '2.0', id, result });
    process.stdout.write(text.slice(0, text.length / 2), () => process.exit(5));
  };
  // Calls take up to 20 ms, so that many are in flight when a fault occurs.
  if (method === 'tools/call') setTimeout(answer, Math.random() * 20);
  else answer();
});
process.stdin.on('end', () => process.exit(0));
