// Runs the command line as people do: a process of its own, with folders of its own.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../fixtures/server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
export const program = path('../../dist/cli/main.cjs');
export const everything = ['--', process.execPath, path('../fixtures/cli/everything.mjs')];
export const hostile = ['--', process.execPath, path('../fixtures/cli/hostile.mjs')];
export const fixturePath = (name: string) => path(`../fixtures/cli/${name}`);

/** A folder for one file of tests: config, runtime folder and cache are in it, and nobody else's. */
export const folder = temporaryFolder('cli');

export const cleanEnv: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  HOME: folder,
  XDG_RUNTIME_DIR: folder,
  XDG_CACHE_HOME: join(folder, 'cache'),
  TERM: 'xterm-256color',
  LANG: 'C.UTF-8',
  STANDPIPE_KEYRING: 'off',
};

export interface RunOptions {
  input?: string;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
}

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

export function startCli(args: readonly string[], options: RunOptions = {}): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [program, ...args], {
    cwd: options.cwd ?? folder,
    env: { ...cleanEnv, ...options.env },
  });
}

/** A host of a config with the server `everything`, once that is ready. */
export async function startHost(args: readonly string[]): Promise<ChildProcessWithoutNullStreams> {
  const host = startCli(['up', '--no-inspector', ...args]);
  let log = '';
  host.stdout.on('data', (chunk) => (log += chunk));
  try {
    await until('the host is up', () => log.includes('everything ready'));
  } catch (error) {
    await stopHost(host);
    throw error;
  }
  return host;
}

export async function stopHost(host: ChildProcessWithoutNullStreams): Promise<void> {
  host.kill('SIGTERM');
  await once(host, 'close');
}

export async function runCli(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const child = startCli(args, options);
  child.stdin.on('error', () => undefined); // it may end without reading
  child.stdin.end(options.input ?? '');
  return finished(child);
}

export async function finished(child: ChildProcessWithoutNullStreams): Promise<Ran> {
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk) => chunks.push(chunk));
    return chunks;
  });
  const [code] = await once(child, 'close');
  return { code, stdout: Buffer.concat(stdout!).toString(), stderr: Buffer.concat(stderr!).toString() };
}

export interface TerminalStep {
  /** Shown since the step before. */
  wait: string;
  type?: string;
  signal?: string;
  /** A file, for a server that waits for it. */
  write?: string;
  columns?: number;
}

/** On a real pseudo-terminal; `stdout` is all that it showed. */
export async function runOnTerminal(
  args: readonly string[],
  {
    steps = [],
    columns = 80,
    rows = 24,
    env = {},
  }: { steps?: TerminalStep[]; columns?: number; rows?: number; env?: NodeJS.ProcessEnv } = {},
): Promise<Ran> {
  const task = { command: [process.execPath, program, ...args], steps, columns, rows };
  const child = spawn('python3', [fixturePath('on-a-terminal.py'), JSON.stringify(task)], {
    cwd: folder,
    env: { ...cleanEnv, ...env },
  });
  child.stdin.end();
  return finished(child);
}

/** Writes a config, and gives its path. */
export function writeConfig(name: string, servers: Record<string, unknown>): string {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify({ mcpServers: servers }, null, 2));
  return file;
}

export const everythingEntry = { command: process.execPath, args: [fixturePath('everything.mjs')] };
export const calculatorEntry = {
  command: process.execPath,
  args: [path('../../examples/litemcp/calculator.mjs')],
  protocol: 'litemcp',
};

/** The servers that wrote their numbers there. */
export function pidsIn(file: string): number[] {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').map(Number);
  } catch {
    return []; // none yet
  }
}

/** What a terminal would obey, or show in another order, in a text. */
export function dangerous(text: string): string[] {
  return [...text].filter((character) => {
    const code = character.codePointAt(0)!;
    const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
    return (isControl && !'\t\r\n'.includes(character)) || code === 0x202e;
  });
}

/** The URL and the token of `up --http`, by what it has printed; undefined until it serves. */
export function gatewayIn(log: string): { url: string; token: string; tokenFile: string } | undefined {
  const tokenFile = /The token is in (\S+)\n/.exec(log)?.[1];
  if (tokenFile === undefined) return undefined;
  const url = /MCP over HTTP at (\S+)/.exec(log)![1]!;
  return { url, token: readFileSync(tokenFile, 'utf8').trim(), tokenFile };
}
