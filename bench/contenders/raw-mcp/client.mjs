// The raw loop with the messages of tools/call: what those cost by themselves, before anybody checks them.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lineWriter, readLines } from '../raw/lines.mjs';
import { serverCommand } from '../server-command.mjs';

/** What every request of 2026-07-28 carries. */
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export async function connect(_meta = envelope) {
  const { command, args } = serverCommand(import.meta.url);
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const write = lineWriter(child.stdin);
  const waiting = new Map();
  let nextId = 1;
  readLines(child.stdout, (line) => {
    const { id, result } = JSON.parse(line);
    const resolve = waiting.get(id);
    waiting.delete(id);
    resolve(result);
  });
  const call = (name, input) =>
    new Promise((resolve) => {
      const id = nextId++;
      waiting.set(id, resolve);
      const params = _meta ? { name, arguments: input, _meta } : { name, arguments: input };
      write(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }));
    });
  return {
    echo: async (text) => (await call('echo', { text })).content[0].text,
    serverUsage: async () => JSON.parse((await call('usage', {})).content[0].text),
    async close() {
      child.stdin.end();
      await once(child, 'close');
    },
  };
}
