// A fixture of ../fixtures/hostile as a process to which arbitrary text can be written.

import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { closing } from '../fixtures/server.ts';

export interface Received {
  id?: unknown;
  method?: string;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

export const hostileFile = (name: string) => fileURLToPath(new URL(`../fixtures/hostile/${name}.mjs`, import.meta.url));

/** A config entry for the fixture. */
export const hostileEntry = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [hostileFile(name), ...args],
});

/** Runs a program to its exit, and kills it after 100 s. Rejects if it fails. */
export function runToEnd(args: string[], env?: NodeJS.ProcessEnv): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, args, { env, timeout: 100_000, killSignal: 'SIGKILL' });
}

export class RawServer {
  readonly received: Received[] = [];
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #looks = new Set<() => void>();
  #ended: string | undefined;

  constructor(name: string) {
    this.#child = spawn(process.execPath, [hostileFile(name)]);
    this.#child.stdin.on('error', () => undefined); // `close` reports the end
    let stderr = '';
    this.#child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      this.received.push(JSON.parse(line));
      this.#look();
    });
    this.#child.once('close', (code, signal) => {
      this.#ended = `The server ended (${code ?? signal}): ${stderr}`;
      this.#look();
    });
    closing(this);
  }

  write(message: object | string): void {
    this.#child.stdin.write(
      `${typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message })}\n`,
    );
  }

  request(id: string | number, method: string, params: object = {}): Promise<Received> {
    const seen = this.received.length;
    this.write({ id, method, params });
    return this.until((message) => message.id === id && message.method === undefined, seen);
  }

  initialize(protocolVersion: string, capabilities: object = {}): Promise<Received> {
    const clientInfo = { name: 'raw', version: '1' };
    return this.request('first', 'initialize', { protocolVersion, capabilities, clientInfo });
  }

  /** Resolves to the first matching message from number `seen` on. Rejects if the server exits before. */
  until(matches: (message: Received) => boolean, seen = 0): Promise<Received> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = this.received.slice(seen).find(matches);
        if (found) resolve(found);
        else if (this.#ended === undefined) return;
        else reject(new Error(this.#ended));
        this.#looks.delete(look);
      };
      this.#looks.add(look);
      look();
    });
  }

  async close(): Promise<void> {
    if (this.#ended !== undefined) return;
    this.#child.kill('SIGKILL');
    await this.until(() => false, this.received.length).catch(() => undefined);
  }

  #look(): void {
    for (const look of [...this.#looks]) look();
  }
}
