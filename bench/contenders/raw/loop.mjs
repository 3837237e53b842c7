// The client end of a raw server: a table of callers by id.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lineWriter, readLines } from './lines.mjs';

export function startLoop({ command, args }) {
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
  return {
    request: (method, params) =>
      new Promise((resolve) => {
        const id = nextId++;
        waiting.set(id, resolve);
        write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      }),
    async close() {
      child.stdin.end();
      await once(child, 'close');
    },
  };
}
