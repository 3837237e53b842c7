// Runs the command line with its own folders: `runCli` in this process, in a tenth of the time that a start of Node.js takes; `spawnCli`,
// `startCli` and `runOnTerminal` in a separate process, like users.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Output } from '../../src/app/cli/output/output.ts';
import { until } from '../fixtures/server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { settingsFolder } from '../fixtures/windows.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
/** The real `require` of Node.js, which loads the built program once for all test files in this process. */
const builtRequire = createRequire(import.meta.url);
export const program = path('../../dist/cli/main.cjs');
export const everything = ['--', process.execPath, path('../fixtures/cli/everything.mjs')];
export const hostile = ['--', process.execPath, path('../fixtures/cli/hostile.mjs')];
export const fixturePath = (name: string) => path(`../fixtures/cli/${name}`);

/** Folder of one test file, with config, runtime folder and cache. */
export const folder = temporaryFolder('cli');

/** Programs on Windows need these variables, and the folders of the user have other names. */
const windowsEnv = {
  ...Object.fromEntries(['SystemRoot', 'ComSpec', 'PATHEXT', 'TEMP', 'TMP'].map((name) => [name, process.env[name]])),
  USERPROFILE: folder,
  APPDATA: join(folder, settingsFolder),
  LOCALAPPDATA: folder, // for hosts and taps, like XDG_RUNTIME_DIR on other systems
};

export const cleanEnv: NodeJS.ProcessEnv = {
  ...(process.platform === 'win32' && windowsEnv),
  PATH: process.env.PATH,
  HOME: folder,
  XDG_RUNTIME_DIR: folder,
  XDG_CACHE_HOME: join(folder, 'cache'),
  TERM: 'xterm-256color',
  LANG: 'C.UTF-8',
  STANDPIPE_KEYRING: 'off',
};

/** Folder of the settings of programs. */
export const configFolder = join(folder, settingsFolder);
/** Folder of data that Standpipe can create again. */
export const cacheFolder = join(folder, process.platform === 'win32' ? 'standpipe/cache' : 'cache');

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

/** Starts a host. Resolves when the server `everything` is ready. */
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

/** Runs a command in a separate process, for example because its servers inherit stderr. */
export async function spawnCli(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const child = startCli(args, options);
  child.stdin.on('error', () => undefined); // the command may exit without reading stdin
  child.stdin.end(options.input ?? '');
  return finished(child);
}

/** Commands that run in a separate process: programs that `main.ts` starts directly, and a host, which reads its own command line. */
const programs = new Set(['tap', 'connect', '__complete', 'up']);

/** Serializes commands in this process, because folder and environment belong to the process. */
let ran: Promise<unknown> = Promise.resolve();

/** Runs a command in this process if possible: not with stdin, which belongs to the process. */
export function runCli(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  if (options.input !== undefined || programs.has(args[0] ?? '')) return spawnCli(args, options);
  const running = ran.then(() => runHere(args, options));
  ran = running.catch(() => undefined);
  return running;
}

/** Changes the object in place, because os.homedir() and tmpdir() use only this object. */
function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value;
}

async function runHere(args: readonly string[], { cwd = folder, env }: RunOptions): Promise<Ran> {
  const before = { cwd: process.cwd(), env: { ...process.env } };
  const printed = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const into = (name: keyof typeof printed) => ({
    write: (chunk: string | Uint8Array) => printed[name].push(Buffer.from(chunk as string)) > 0,
  });
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  process.chdir(cwd);
  setEnvironment({ ...cleanEnv, ...env });
  try {
    const { executeCommand } = builtRequire(
      '../../dist/cli/run-command.cjs',
    ) as typeof import('../../src/app/cli/run-command.ts');
    const out = new Output({
      stdout: into('stdout'),
      stderr: into('stderr'),
      env: process.env,
      json: own.includes('--json'),
    });
    const code = await executeCommand(args, out, new AbortController().signal);
    const [stdout, stderr] = [printed.stdout, printed.stderr].map((chunks) => Buffer.concat(chunks).toString());
    return { code, stdout: stdout!, stderr: stderr! };
  } finally {
    process.chdir(before.cwd);
    setEnvironment(before.env);
  }
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
  /** Text that must appear after the previous step. */
  wait: string;
  type?: string;
  signal?: string;
  /** File to create, for a server that waits for it. */
  write?: string;
  columns?: number;
}

/** Runs a command on a pseudo-terminal; `stdout` is all its output. */
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

/** Writes a config, and returns its path. */
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

/** Pids that servers wrote to the file. */
export function pidsIn(file: string): number[] {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').map(Number);
  } catch {
    return []; // the file does not exist yet
  }
}

/** Control characters in a text that a terminal would execute, and the character that reverses its direction. */
export function dangerous(text: string): string[] {
  return [...text].filter((character) => {
    const code = character.codePointAt(0)!;
    const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
    return (isControl && !'\t\r\n'.includes(character)) || code === 0x202e;
  });
}

/** URL and token that `up --http` has printed; undefined before that. */
export function gatewayIn(log: string): { url: string; token: string; tokenFile: string } | undefined {
  const tokenFile = /The token is in (\S+)\n/.exec(log)?.[1];
  if (tokenFile === undefined) return undefined;
  const url = /MCP over HTTP at (\S+)/.exec(log)![1]!;
  return { url, token: readFileSync(tokenFile, 'utf8').trim(), tokenFile };
}
