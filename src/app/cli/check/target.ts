// Finds the command that `check` starts: the command after `--`, or the command of a config entry.

import type { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { problemError } from '../../../config/problem.ts';
import { secretsOf } from '../../../config/secrets-of-server.ts';
import type { CommandConfig, ServerConfig } from '../../../config/server-config.ts';
import { rejections, unknownServer } from '../../../host/services/unknown-name.ts';
import { UnusableEntry } from '../exit-code.ts';
import type { Settings } from '../invocation.ts';
import { type Invocation, invalidOption } from '../invocation.ts';
import { commandHint } from '../servers/find-server.ts';
import { loadServers } from '../servers/own-host.ts';
import { serverOfCommand } from '../servers/server-command.ts';

export interface CheckedCommand {
  target: {
    command: string;
    args: readonly string[];
    env: Readonly<Record<string, string>>;
    cwd: string;
    secrets: readonly string[];
  };
  protocol: 'mcp' | 'litemcp';
}

export async function commandToCheck(
  { serverCommand, settings }: Pick<Invocation, 'serverCommand' | 'settings'>,
  words: readonly string[],
  options: { env?: readonly string[]; cwd?: string; client?: boolean },
): Promise<CheckedCommand> {
  const [name, excess] = words;
  if (excess !== undefined || (name !== undefined && serverCommand)) {
    throw invalidOption(
      'check takes one server',
      `Write a command after --: ${ownCommand} check -- python3 server.py. Without --, check accepts one name from the config.`,
    );
  }
  if (serverCommand) return checked(serverOfCommand(serverCommand, options, settings));
  if (options.client) {
    throw invalidOption(
      'No client command was given',
      `Write it after --: ${ownCommand} check --client -- <command …> {server}`,
    );
  }
  if (name === undefined) {
    throw invalidOption('No server was given', `${ownCommand} check -- <command …>, or ${ownCommand} check <server>`);
  }
  if (/^https?:\/\//i.test(name)) throw remote(name);
  const ofCommands = (['env', 'cwd'] as const).find((option) => options[option] !== undefined);
  if (ofCommands) {
    throw invalidOption(`--${ofCommands} needs a command after --`, `Set it in the entry "${name}" of the config.`);
  }
  return checked(await entryOf(name, settings));
}

async function entryOf(name: string, settings: Settings): Promise<CommandConfig> {
  const found = await configEntry(name, settings);
  if (found.url !== undefined) throw remote(name);
  return found;
}

/** The entry of this name in the config, which is started for one command alone. */
export async function configEntry(name: string, settings: Settings): Promise<ServerConfig> {
  const config = await loadServers(settings);
  const found = config.servers.find((server) => server.name === name);
  if (found) return found;
  const problem = rejections(config).find(({ server }) => server === name);
  if (problem) {
    const { code, message, hint } = problemError(problem);
    throw new UnusableEntry(code, message, { hint });
  }
  const names = config.servers.map((server) => server.name);
  throw unknownServer(name, names, [], commandHint(name));
}

function checked(config: CommandConfig): CheckedCommand {
  const { command, args, env, cwd, protocol, framing } = config;
  if (protocol === 'mcp' && framing !== undefined && framing !== 'newline') {
    throw invalidOption(
      `"${config.name}" uses the framing ${framing}, which MCP does not support`,
      'MCP over stdio separates messages by newlines.',
    );
  }
  return { target: { command, args, env, cwd, secrets: secretsOf(config).secrets }, protocol };
}

function remote(name: string): UsageError {
  return invalidOption(
    `"${name}" is a remote server: check tests servers over stdio`,
    'The official conformance suite tests servers over HTTP: npx @modelcontextprotocol/conformance server --url <url>',
  );
}
