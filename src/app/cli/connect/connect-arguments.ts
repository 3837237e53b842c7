// Parses the command line of `standpipe connect`. Does not load the other commands, because an MCP host waits for the start.

import { basename, resolve } from 'node:path';
import type { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { remoteTransports, type SharePolicy, shareModes } from '../../../config/server-config.ts';
import type { BroughtCommand } from '../../../host/control/shared-servers.ts';
import type { Params } from '../../../mcp/service.ts';
import { ofFlag, ofText, ofTexts, readOptions, type Values } from '../../../observe/tap/read-options.ts';
import { readVariable } from '../../../wire/process/launch/environment.ts';
import { DEFAULT_IDLE_MS, durationOf, invalidOption, type Settings } from '../invocation.ts';
import type { AddressOptions } from '../servers/server-at-address.ts';

export interface ConnectArguments {
  settings: Settings;
  /** Parameters of `standpipe/use`. */
  use: Params;
  /** Set in place of `use` for a remote server. */
  address?: ConnectAddress;
  /** Time in ms without clients after which a host started for this connection ends. */
  idleMs: number;
}

export interface ConnectAddress extends AddressOptions {
  url: string;
  name: string | undefined;
  share: SharePolicy['by'] | undefined;
}

const options = {
  all: ofFlag,
  tools: ofText,
  config: ofText,
  idle: ofText,
  name: ofText,
  env: ofTexts,
  cwd: ofText,
  share: ofText,
  header: ofTexts,
  transport: ofText,
};

type Given = Values<typeof options>;

export function parseConnectArguments(words: readonly string[], env = process.env): ConnectArguments {
  const { values: given, positionals: servers, command } = readOptions(words, options, usage);
  const { all = false, config } = given;
  const idleMs = given.idle === undefined ? DEFAULT_IDLE_MS : durationOf('--idle')(given.idle);
  const misplaced = (...names: (keyof Given)[]) => names.find((name) => given[name] !== undefined);
  if (given.tools !== undefined && !all) throw usage('--tools needs --all');
  if (servers.length === 1 && /^https?:\/\//i.test(servers[0]!)) {
    const option = misplaced('config', 'env', 'cwd');
    if (option) throw usage(`--${option} cannot be used for a remote server`);
    if (command.length > 0 || all) throw usage('Name one server');
    return { settings: { shared: true }, use: {}, address: addressOf(servers[0]!, given), idleMs };
  }
  if (misplaced('header', 'transport')) throw usage('--header and --transport need a URL');
  if (command.length > 0) {
    if (config !== undefined || servers.length > 0 || all)
      throw usage('A command after -- cannot be combined with --config, --all or a server name');
    return { settings: { shared: true }, use: { brought: broughtServer(command, given, env) }, idleMs };
  }
  const option = misplaced('name', 'env', 'cwd', 'share');
  if (option) {
    throw usage(
      `--${option} needs a command after --`,
      'For a server of a config, set "env", "cwd" and "share" in its entry.',
    );
  }
  if (servers.length + Number(all) !== 1) throw usage('Name one server, or use --all');
  return { settings: { config }, use: all ? { tools: readToolsMode(given.tools) } : { server: servers[0] }, idleMs };
}

function addressOf(url: string, { transport: text = 'auto', header = [], name, share }: Given): ConnectAddress {
  const transport = remoteTransports.find((each) => each === text);
  if (!transport) throw usage(`--transport cannot be "${text}"`, `Write one of ${remoteTransports.join(', ')}.`);
  return { url, header, transport, name, share: readShare(share) };
}

const HOW_TO_SET = 'Set it in "env" of the entry that has this command, or remove it from --env.';

/** Values of variables come from the environment that the MCP host has set, never from the arguments, which all users can see. */
function broughtServer([command, ...args]: readonly string[], given: Given, env: NodeJS.ProcessEnv): BroughtCommand {
  const names = given.env?.flatMap((each) => each.split(',')) ?? [];
  return {
    name: given.name ?? basename(command!),
    command: command!,
    args,
    env: Object.fromEntries(
      names.map((name) => {
        if (name.includes('='))
          throw usage('--env accepts only names, because a command line is visible to other users', HOW_TO_SET);
        const value = readVariable(env, name);
        if (value === undefined) {
          throw usage(`The variable "${name}" of --env is not set`, HOW_TO_SET);
        }
        return [name, value];
      }),
    ),
    cwd: resolve(given.cwd ?? '.'),
    path: readVariable(env, 'PATH'),
    share: readShare(given.share),
  };
}

function readShare(text: string | undefined): SharePolicy['by'] | undefined {
  const by = shareModes.find((mode) => mode === text);
  if (text === undefined || by) return by;
  throw usage(`--share cannot be "${text}"`, `Write one of ${shareModes.join(', ')}.`);
}

/** `search`: a few tools that find, describe and call the others. */
function readToolsMode(text: string | undefined): 'search' | undefined {
  if (text === 'search') return text;
  if (text === undefined || text === 'all') return undefined;
  throw usage(`--tools cannot be "${text}"`, 'Write --tools search, or --tools all.');
}

const synopsis = `${ownCommand} connect <server> | --all [--tools search] [--config FILE] [--idle TIME], or ${ownCommand} connect [--name NAME] [--env NAME …] [--cwd FOLDER] [--share BY] [--idle TIME] -- command …, or ${ownCommand} connect URL [--header "Name: value"] [--transport http|sse] [--name NAME] [--share BY] [--idle TIME]`;

function usage(problem: string, hint = synopsis): UsageError {
  return invalidOption(problem, hint);
}
