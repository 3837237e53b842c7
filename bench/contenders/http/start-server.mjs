// Starts a server of this folder as a separate process, which exits when its stdin closes (end-with-input.mjs). The
// server prints its address in its first line; `readyMs` is when that line arrived.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { serverCommand } from '../server-command.mjs';

export async function startServer(file, ...args) {
  const { command, args: all } = serverCommand(import.meta.url, file, ...args);
  const child = spawn(command, all, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [url] = await once(createInterface({ input: child.stdout }), 'line');
  const end = async () => {
    child.stdin.end();
    await once(child, 'exit');
  };
  return { url, readyMs: performance.now(), end };
}
