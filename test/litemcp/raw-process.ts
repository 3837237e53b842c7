// A server process for a raw client, which writes and reads bytes.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { RawEnd } from '../../src/litemcp/memory.contract.ts';
import { hasPython } from '../fixtures/python.ts';
import { closing } from '../fixtures/server.ts';

export interface Command {
  command: string;
  args: string[];
}

export function path(name: string): string {
  return fileURLToPath(new URL(`../../${name}`, import.meta.url));
}

export function node(name: string): Command {
  return { command: process.execPath, args: [path(name)] };
}

/** Filters lists of programs whose first element is the name. */
export function canRun([name]: readonly [string, ...unknown[]]): boolean {
  return hasPython || !name.endsWith('.py');
}

export function python(name: string): Command {
  return { command: 'python3', args: [path(name)] };
}

export function startRaw({ command, args }: Command) {
  const child = spawn(command, args, { stdio: 'pipe' });
  const exited = once(child, 'close');
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  closing({
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await exited;
    },
  });
  return {
    raw: new RawEnd(child.stdout, child.stdin),
    /** Exit code or signal. */
    exited: exited.then(([code, signal]) => code ?? signal) as Promise<number | string>,
    stderr: () => stderr,
  };
}
