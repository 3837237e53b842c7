#!/usr/bin/env node
// The command line. Starts fast: what a command needs is loaded when it is known which one it is.

const words = process.argv.slice(2);

if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  const { ownInfo } = await import('../mcp/client/options.ts');
  process.stdout.write(`${ownInfo.version}\n`);
} else if (words[0] === '__complete') {
  const { answerShell } = await import('./completion/answer-shell.ts');
  await answerShell(words.slice(1));
  process.exit(0);
} else {
  const { runCommand } = await import('./run-command.ts');
  await runCommand(words);
}
