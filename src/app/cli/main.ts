#!/usr/bin/env node
// Entry point of the command line. Loads only the modules of the given command, to start fast.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

void main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<void> {
  if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
    const { ownInfo } = await import('../../mcp/own-info.ts');
    process.stdout.write(`${ownInfo.version}\n`);
  } else if (words[0] === 'tap' && words[1] !== 'install' && words[1] !== 'uninstall' && !asksForHelp(words)) {
    // `tap` and `connect` are separate programs: the rest of the command line is not loaded for them.
    await cacheCompiledCode();
    const { tapMain } = await import('../../observe/tap/main.ts');
    await tapMain(words.slice(1));
  } else if (words[0] === 'connect' && !asksForHelp(words)) {
    await cacheCompiledCode();
    const { connectMain } = await import('./connect/main.ts');
    await connectMain(words.slice(1));
  } else if (words[0] === '__complete') {
    await cacheCompiledCode();
    const { answerShell } = await import('./completion/candidates.ts');
    await answerShell(words.slice(1));
    process.exit(0);
  } else {
    const stopListening = endOnSignals();
    await cacheCompiledCode();
    const { runCommand } = await import('./run-command.ts');
    await runCommand(words, stopListening);
  }
}

/** The folder is private: in a shared one, other users could place code. */
async function cacheCompiledCode(): Promise<void> {
  const nodeModule: object = process.getBuiltinModule('node:module');
  const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => unknown };
  const { cacheFolder } = await import('../../wire/process/files/cache-folder.ts');
  const folder = join(cacheFolder(), 'compiled');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    return; // without a writable cache folder, code is compiled at each start
  }
  if (enableCompileCache) enableCompileCache(folder);
  else if (process.env.NODE_DISABLE_COMPILE_CACHE !== '1') {
    const { keepCompiledCode } = await import('./compiled-code.ts'); // Node.js 20
    await keepCompiledCode(folder);
  }
}

/** Ends on signals while the command is being loaded: nothing has started yet, so nothing must be stopped. */
function endOnSignals(): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const end = (_name: string, number: number) => process.exit(128 + number);
  for (const signal of signals) process.on(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
}

function asksForHelp(line: readonly string[]): boolean {
  const own = line.includes('--') ? line.slice(0, line.indexOf('--')) : line;
  return own.includes('--help') || own.includes('-h');
}
