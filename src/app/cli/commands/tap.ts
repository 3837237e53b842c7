// `tap`, `share` and `connect`, which run between a host and its servers. Only their help and `install` are here: main.ts starts `tap` and
// `connect` themselves.

import { type Command, Option } from 'commander';
import { ownCommand } from '../../../base/own-command.ts';
import type { Fields } from '../../../config/read/fields.ts';
import { remoteTransports, shareModes } from '../../../config/server-config.ts';
import type { WrapResult } from '../../../config/wrap/wrap-servers.ts';
import { type CommandBody, type CommandModule, invalidOption, type RunCommand } from '../invocation.ts';
import { tellWrapped } from '../output/config-change.ts';
import type { Output } from '../output/output.ts';
import {
  addHostConfig,
  changeHostConfig,
  hostNames,
  type WrapTarget,
  withWarningOfCommand,
  wrapperCommand,
} from '../wrap/host-config.ts';
import { help, withoutCommonOptions } from './server-options.ts';

export const tap: CommandModule = {
  define(command, run) {
    command
      .usage('[options] <url> | -- <command …>')
      .option('--record <file>', 'record all traffic to this file')
      .option('--keep', `record to a new file; \`${ownCommand} recordings\` lists them`)
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
    addInstall(command, run, {
      about: 'add taps to the config of a host; keeps a backup',
      install: async ({ file, ...target }, { record, keep }, out) => {
        if (keep && record !== undefined) throw invalidOption('--keep and --record cannot be combined');
        const { installTap } = await import('../../../observe/tap/install.ts');
        const recordFolder = record as string | undefined;
        const options = { tap: wrapperCommand('tap'), recordFolder, ...target, options: keep ? ['--keep'] : [] };
        const wrapped = await installTap(file, options);
        if (wrapped.servers.some(({ outcome }) => outcome === 'not-a-command'))
          out.say(`To tap a remote server, run ${ownCommand} tap URL and use the address that it prints.`);
        return wrapped;
      },
      installed: { done: 'tapped', already: 'already tapped' },
      uninstall: async ({ file, ...target }) =>
        (await import('../../../observe/tap/install.ts')).uninstallTap(file, target),
      uninstalled: { done: 'untapped', already: 'not tapped' },
    })
      .option('--record <folder>', 'record each server to a file in this folder')
      .option('--keep', 'record each run of a server to a new file of its own');
    help(
      command,
      hostNames,
      'tap -- node server.mjs',
      'tap --record session.jsonl -- npx -y some-server',
      'tap --keep -- npx -y some-server',
      'tap https://mcp.example.com/mcp --record session.jsonl',
      'tap install cursor --record recordings',
      'tap uninstall cursor weather',
    );
    withoutCommonOptions(command);
    const hint = `Put them after the command: ${ownCommand} tap --record FILE -- node server.mjs`;
    command.action(run(() => Promise.reject(invalidOption('tap accepts only its own options', hint))));
  },
};

/** Rewrites the config of a host so that its windows share one process of each server. */
export const share: CommandModule = {
  define(command, run) {
    command.usage('install|uninstall [options] <host> [server…]');
    addInstall(command, run, {
      about: 'share the servers of a host; keeps a backup of its config',
      install: async ({ file, ...target }) => {
        const { wrapServers } = await import('../../../config/wrap/wrap-servers.ts');
        const options = { words: connectWords, refuse: unknownVariables };
        return wrapServers(file, { ...target, wrapper: 'connect', ...options });
      },
      installed: { done: 'shared', already: 'already shared' },
      uninstall: async ({ file, ...target }) => {
        const { unwrapServers } = await import('../../../config/wrap/wrap-servers.ts');
        return unwrapServers(file, { ...target, wrapper: 'connect' });
      },
      uninstalled: { done: 'no longer shared', already: 'not shared' },
    });
    help(
      command,
      `Prefixes commands with \`${ownCommand} connect --\`. Entries with the same command,
arguments, variables and folder then use one process, in all programs.
\`${ownCommand} ls --shared\` lists these processes.
${hostNames}`,
      'share install cursor',
      'share install cursor --dry-run',
      'share install .vscode/mcp.json weather',
      'share uninstall cursor',
      'ls --shared',
      'down --shared',
    );
  },
};

type Change = (target: WrapTarget, options: Record<string, unknown>, out: Output) => Promise<WrapResult>;

interface Installing {
  about: string;
  install: Change;
  installed: Parameters<typeof tellWrapped>[2];
  uninstall: Change;
  uninstalled: Parameters<typeof tellWrapped>[2];
}

/** Adds `install` and `uninstall`. Returns the command of `install`. */
function addInstall(command: Command, run: RunCommand, how: Installing): Command {
  const body =
    (change: Change, outcomes: Installing['installed'], finish: typeof withWarningOfCommand): CommandBody =>
    async (invocation, words, options) => {
      const wrapped = await changeHostConfig(words, options, (target) => change(target, options, invocation.out));
      return tellWrapped(invocation, finish(wrapped), outcomes);
    };
  const installing = addHostConfig(command.command('install').description(how.about));
  installing.action(run(body(how.install, how.installed, withWarningOfCommand)));
  addHostConfig(command.command('uninstall').description('restore the config')).action(
    run(body(how.uninstall, how.uninstalled, (wrapped) => wrapped)),
  );
  return installing;
}

/** The host sets the variables of `env` after it has expanded its inputs and references, so only the names are written. */
function connectWords(name: string, fields: Fields): string[] {
  const variables = fields.object('env')?.keys() ?? [];
  const words = [...wrapperCommand('connect'), '--name', name];
  return variables.length > 0 ? [...words, '--env', variables.join(',')] : words;
}

/** Servers with different variables must not share a process, so all variables must be known. */
function unknownVariables(fields: Fields): string | undefined {
  return fields.has('envFile')
    ? 'has variables from an envFile, which only its host reads (set them in "env")'
    : undefined;
}

export const connect: CommandModule = {
  define(command, run) {
    command
      .usage('[options] <server> | <url> | --all | -- <command …>')
      .argument('[server]', 'name in the config, or URL')
      .option('--config <file>', 'use only this config file')
      .option('--all', 'serve all servers of the config as one')
      .addOption(
        new Option('--tools <mode>', 'with --all: all tools, or some that search them').choices(['all', 'search']),
      )
      .option('--name <name>', 'name of the command or the URL in lists and logs')
      .option('--header <name: value>', 'HTTP header; ${VAR} in it is expanded; repeatable')
      .addOption(new Option('--transport <name>', 'HTTP transport').choices(remoteTransports))
      .option('--env <name>', 'variable to pass on to the command; repeatable')
      .option('--cwd <folder>', 'working folder of the command')
      .addOption(new Option('--share <by>', 'clients that share a process (default: all)').choices(shareModes))
      .option('--idle <time>', 'end the started host after this time without clients (default: 10m)');
    help(
      command,
      `Use it as the command in the config of an MCP host: all windows then use one
process. If no host runs for the config, connect starts one in the background,
and each server starts at its first use. A command or a URL works without a
config: clients with the same command, arguments, variables and folder share
one process.`,
      'connect weather --config ~/mcp.json',
      'connect --all --config ~/mcp.json --idle 1h',
      'connect --all --tools search --config ~/mcp.json',
      'down --config ~/mcp.json',
      'connect -- npx -y some-server',
      "connect https://example.com/mcp --header 'X-Key: ${KEY}'",
      'ls --shared',
    );
    withoutCommonOptions(command);
    const hint = `Put the options after it: ${ownCommand} connect weather --config FILE`;
    command.action(run(() => Promise.reject(invalidOption('connect must be the first word', hint))));
  },
};
