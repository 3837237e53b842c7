// Prevents child processes from inheriting the protocol's stdin and stdout (server side). A tool that runs
// `spawn('cat', { stdio: 'inherit' })` would otherwise read the next request from the host, or write between the answers.
// A child that would inherit fd 0 gets an empty stdin, and one that would inherit fd 1 gets our stderr; other options
// are unchanged. Covers every function of node:child_process, however it was imported.
// Not covered: native code, and worker threads, which have their own child_process.

import childProcess, { ChildProcess, type StdioOptions } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

type AnyFunction = (...args: unknown[]) => unknown;
interface WithStdio {
  stdio?: StdioOptions;
}

export interface Guard {
  restore(): void;
}

export function guardChildren(): Guard {
  // spawn, exec, execFile and fork all call this. It is undocumented; tracing tools use it too.
  const prototype = ChildProcess.prototype as unknown as { spawn: (options: WithStdio) => unknown };
  const spawn = prototype.spawn;
  prototype.spawn = function (options) {
    return spawn.call(this, guarded(options));
  };
  const module = childProcess as unknown as Record<string, AnyFunction>;
  const originals = ['spawnSync', 'execSync', 'execFileSync'].map((name) => [name, module[name]!] as const);
  for (const [name, original] of originals) {
    module[name] = (...args) => original(...args.map((arg) => (isOptions(arg) ? guarded(arg) : arg)));
  }
  syncBuiltinESMExports(); // updates code that imported the functions by name

  return {
    restore() {
      prototype.spawn = spawn;
      for (const [name, original] of originals) module[name] = original;
      syncBuiltinESMExports();
    },
  };
}

function isOptions(arg: unknown): arg is WithStdio {
  return typeof arg === 'object' && arg !== null && !Array.isArray(arg);
}

function guarded<T extends WithStdio>(options: T): T {
  return options?.stdio ? { ...options, stdio: guardedStdio(options.stdio) } : options;
}

export function guardedStdio(stdio: StdioOptions): StdioOptions {
  if (stdio === 'inherit') return ['ignore', 2, 2];
  if (!Array.isArray(stdio)) return stdio;
  return stdio.map((entry, slot) => {
    const source = sourceDescriptor(entry, slot);
    if (source === 0) return 'ignore';
    return source === 1 ? 2 : entry;
  });
}

/** The descriptor of this process that a child would get. */
function sourceDescriptor(entry: unknown, slot: number): number | undefined {
  if (entry === 'inherit') return slot;
  if (typeof entry === 'number') return entry;
  const descriptor = (entry as { fd?: unknown } | null | undefined)?.fd; // process.stdin and process.stdout have this member
  return typeof descriptor === 'number' ? descriptor : undefined;
}
