// `standpipe tap`: its help, and adding taps to the config of a host. The tap itself is started by main.ts.

import { UsageError } from '../../base/errors.ts';
import type { InstallOutcome, InstallResult } from '../../tap/install.ts';
import { ExitCode } from '../exit-code.ts';
import type { CommandBody, CommandModule, Invocation } from '../invocation.ts';
import { mainFile } from '../main-file.ts';
import { examples } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command
    .usage('[options] -- <command …>')
    .option('--record <file>', 'record all traffic to this file')
    .option('--name <name>', 'name of the server in recordings and viewers')
    .option('--framing <name>', 'message framing (default: newline)')
    .option('--mask-env <names>', 'environment variables whose values are hidden')
    .option('--redact-key <name>', 'JSON keys whose values are hidden; repeatable')
    .option('--redact-path <path>', 'JSON paths whose values are hidden; repeatable')
    .option('--keep-bytes <number>', 'maximum number of stored bytes of a message')
    .option('--max-file-bytes <number>', 'size at which the recording is rotated')
    .option('--max-files <number>', 'maximum number of files of a recording')
    .option('--no-announce', 'do not list this tap for the Inspector');
  examples(
    command,
    'tap -- node server.mjs',
    'tap --record session.jsonl -- npx -y some-server',
    'tap install ~/.cursor/mcp.json',
    'tap uninstall ~/.cursor/mcp.json weather',
  );
  command
    .command('install')
    .description('add taps to the servers of a host’s config; a backup is kept next to it')
    .argument('<config>')
    .argument('[server…]', 'servers; default: all')
    .option('--record <folder>', 'record each server into a file of this folder')
    .action(run(install));
  command
    .command('uninstall')
    .description('remove the taps')
    .argument('<config>')
    .argument('[server…]', 'servers; default: all')
    .action(run(uninstall));
  command.action(run(misplaced));
};

const misplaced: CommandBody = async () => {
  throw new UsageError('INVALID_OPTION', 'tap accepts only its own options', {
    hint: 'Put them after the command: standpipe tap --record FILE -- node server.mjs',
  });
};

const install: CommandBody = async (invocation, [config, ...servers], options) => {
  const { installTap } = await import('../../tap/install.ts');
  const tap = tapCommand();
  const { record } = options as { record?: string };
  const result = await installTap(config!, { tap, recordFolder: record, ...named(servers) });
  return tell(invocation, result, { done: 'tapped', already: 'already tapped' });
};

/** Programs started from a desktop get a shorter PATH: the absolute path of this program is used, unless it is in the cache of npx. */
function tapCommand(): string[] {
  const isCached = /[\\/](?:_npx|dlx(?:-[^\\/]*)?)[\\/]/.test(mainFile);
  return isCached ? ['npx', '-y', 'standpipe', 'tap'] : [process.execPath, mainFile, 'tap'];
}

const uninstall: CommandBody = async (invocation, [config, ...servers]) => {
  const { uninstallTap } = await import('../../tap/install.ts');
  return tell(invocation, await uninstallTap(config!, named(servers)), { done: 'untapped', already: 'not tapped' });
};

function named(servers: readonly string[]): { servers?: readonly string[] } {
  return servers.length > 0 ? { servers } : {};
}

function tell(
  { out }: Invocation,
  { servers, backup }: InstallResult,
  words: Record<Exclude<InstallOutcome, 'not-a-command'>, string>,
): number {
  if (out.json) out.document({ servers, backup: backup ?? null });
  else {
    for (const { name, outcome } of servers) {
      out.write(`${name}\t${outcome === 'not-a-command' ? 'has no command: unchanged' : words[outcome]}\n`);
    }
    if (backup) out.say(`Backup: ${backup}`);
    if (servers.some(({ outcome }) => outcome === 'done')) out.say('Restart the host to apply the change.');
  }
  return ExitCode.done;
}
