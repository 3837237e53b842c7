// Help of `standpipe tap`, and `tap install`, which adds taps to the config of a host. main.ts starts the tap itself.

import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import type { CommandBody, CommandModule } from '../invocation.ts';
import { tellWrapped } from '../output/wrapped.ts';
import { addHostConfig, changeHostConfig, hostNames, withWarningOfCommand } from '../wrap/host-config.ts';
import { wrapperCommand } from '../wrap/wrapper-command.ts';
import { examples, withoutCommonOptions } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command
    .usage('[options] <url> | -- <command …>')
    .option('--record <file>', 'record all traffic to this file')
    .option('--name <name>', 'name of the server in recordings and viewers')
    .option('--url <url>', 'forward HTTP requests to this remote server')
    .option('--port <number>', 'port for --url (default: any free one)')
    .option('--framing <name>', 'message framing (default: newline)')
    .option('--mask-env <names>', 'hide the values of these variables: NAME,NAME')
    .option('--redact-key <name>', 'hide the values of this JSON key; repeatable')
    .option('--redact-path <json-path>', 'hide the values at this JSON path; repeatable')
    .option('--keep-bytes <number>', 'store at most this many bytes of a message')
    .option('--max-file-bytes <number>', 'rotate the recording at this size')
    .option('--max-files <number>', 'keep at most this many recording files')
    .option('--no-announce', 'hide this tap from the Inspector');
  command.addHelpText('after', `\n${hostNames}`);
  const installing = command
    .command('install')
    .description('add taps to the config of a host; keeps a backup')
    .option('--record <folder>', 'record each server to a file of this folder');
  addHostConfig(installing).action(run(install));
  addHostConfig(command.command('uninstall').description('restore the config')).action(run(uninstall));
  examples(
    command,
    'tap -- node server.mjs',
    'tap --record session.jsonl -- npx -y some-server',
    'tap https://mcp.example.com/mcp --record session.jsonl',
    'tap install cursor --record recordings',
    'tap uninstall cursor weather',
  );
  withoutCommonOptions(command);
  command.action(run(misplaced));
};

const misplaced: CommandBody = async () => {
  throw new UsageError('INVALID_OPTION', 'tap accepts only its own options', {
    hint: `Put them after the command: ${ownCommand} tap --record FILE -- node server.mjs`,
  });
};

const install: CommandBody = async (invocation, words, options) => {
  const { installTap } = await import('../../../observe/tap/install.ts');
  const { record } = options as { record?: string };
  const wrapped = await changeHostConfig(words, options, ({ file, ...target }) =>
    installTap(file, { tap: wrapperCommand('tap'), recordFolder: record, ...target }),
  );
  const isRemote = wrapped.servers.some(({ outcome }) => outcome === 'not-a-command');
  if (isRemote)
    invocation.out.say(`To tap a remote server, run ${ownCommand} tap URL and use the address that it prints.`);
  return tellWrapped(invocation, withWarningOfCommand(wrapped), { done: 'tapped', already: 'already tapped' });
};

const uninstall: CommandBody = async (invocation, words, options) => {
  const { uninstallTap } = await import('../../../observe/tap/install.ts');
  const wrapped = await changeHostConfig(words, options, ({ file, ...target }) => uninstallTap(file, target));
  return tellWrapped(invocation, wrapped, { done: 'untapped', already: 'not tapped' });
};
