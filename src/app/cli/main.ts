#!/usr/bin/env node
// The command line. Starts fast: modules are loaded when the command is known.

void main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<void> {
  if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
    const { ownInfo } = await import('../../mcp/own-info.ts');
    process.stdout.write(`${ownInfo.version}\n`);
  } else if (words[0] === 'tap' && words[1] !== 'install' && words[1] !== 'uninstall' && !asksForHelp(words)) {
    // The tap is a separate program, and so is `connect`: nothing else of the command line is loaded for them.
    const { tapMain } = await import('../../observe/tap/main.ts');
    await tapMain(words.slice(1));
  } else if (words[0] === 'connect' && !asksForHelp(words)) {
    const { connectMain } = await import('./connect/main.ts');
    await connectMain(words.slice(1));
  } else if (words[0] === '__complete') {
    const { answerShell } = await import('./completion/answer-shell.ts');
    await answerShell(words.slice(1));
    process.exit(0);
  } else {
    const stopListening = endOnSignals();
    const { runCommand } = await import('./run-command.ts');
    await runCommand(words, stopListening);
  }
}

/** While the command is being loaded: nothing was started yet, so nothing has to be stopped. */
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
