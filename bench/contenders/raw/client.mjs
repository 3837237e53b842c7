// The other end of the raw loop: a table of callers by id, and nothing else.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { serverCommand } from '../server-command.mjs';
import { lineWriter, readLines } from './lines.mjs';

export async function connect() {
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
  const request = (method, params) =>
    new Promise((resolve) => {
      const id = nextId++;
      waiting.set(id, resolve);
      write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  return {
    echo: async (text) => (await request('echo', { text })).text,
    serverUsage: () => request('usage', {}),
    async close() {
      child.stdin.end();
      await once(child, 'close');
    },
  };
}
