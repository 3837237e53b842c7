// While this process speaks a protocol on its stdin and stdout, no child of its own may get them: one that reads would eat
// requests, one that prints would break the stream. Wherever a child would inherit stdin it gets none, and where it would
// inherit stdout it gets our stderr. All else about the child is as its caller wants it.

import childProcess, { type ChildProcess, type StdioOptions } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

interface SpawnOptions {
  stdio?: StdioOptions;
}
type Spawn = (options: SpawnOptions) => unknown;

export interface Guard {
  restore(): void;
}

export function guardChildren(): Guard {
  // spawn, exec, execFile and fork all end here, however they were imported.
  const prototype = childProcess.ChildProcess.prototype as unknown as { spawn: Spawn };
  const { spawn } = prototype;
  prototype.spawn = function (this: ChildProcess, options) {
    return spawn.call(this, { ...options, stdio: withoutOurs(options.stdio) });
  };
  const { spawnSync, execFileSync, execSync } = childProcess;
  Object.assign(childProcess, {
    spawnSync: guarded(spawnSync),
    execFileSync: guarded(execFileSync),
    execSync: guarded(execSync),
  });
  syncBuiltinESMExports();
  return {
    restore() {
      prototype.spawn = spawn;
      Object.assign(childProcess, { spawnSync, execFileSync, execSync });
      syncBuiltinESMExports();
    },
  };
}

type AnyFunction = (...args: unknown[]) => unknown;

/** The options are the last argument, where there are any. */
function guarded(run: unknown): AnyFunction {
  return (...args) => {
    const options = args.at(-1) as SpawnOptions | undefined;
    if (typeof options !== 'object' || !options?.stdio) return (run as AnyFunction)(...args);
    return (run as AnyFunction)(...args.slice(0, -1), { ...options, stdio: withoutOurs(options.stdio) });
  };
}

function withoutOurs(stdio: StdioOptions | undefined): StdioOptions | undefined {
  if (stdio === 'inherit') return ['ignore', 2, 2];
  if (!Array.isArray(stdio)) return stdio;
  return stdio.map((entry, fd) => {
    const inherits = entry === 'inherit' ? fd : entry;
    if (inherits === 0 || inherits === process.stdin) return 'ignore';
    if (inherits === 1 || inherits === process.stdout) return 2;
    return entry;
  });
}
