// The command line of `standpipe connect`. Parsed without the rest of the command line, because a host waits for the start.

import { basename, resolve } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { ownCommand } from '../../base/own-command.ts';
import { remoteTransports, type SharePolicy, shareModes } from '../../config/server-config.ts';
import type { BroughtCommand } from '../../host/control/shared-servers.ts';
import type { Params } from '../../mcp/service.ts';
import { readVariable } from '../../process/launch/environment.ts';
import type { AddressOptions } from '../servers/server-at-address.ts';
import { DEFAULT_IDLE_MS, durationOf, type Settings } from '../settings.ts';

export interface ConnectArguments {
  settings: Settings;
  /** The parameters of `standpipe/use`. */
  use: Params;
  /** A remote server is brought, instead. */
  address?: ConnectAddress;
  /** How long a host that is started for this connection stays without clients. */
  idleMs: number;
}

export interface ConnectAddress extends AddressOptions {
  url: string;
  name: string | undefined;
  share: SharePolicy['by'] | undefined;
}

const withValue = new Set(['--config', '--idle', '--name', '--env', '--cwd', '--share', '--header', '--transport']);

export function parseConnectArguments(words: readonly string[], env = process.env): ConnectArguments {
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const command = words.slice(end + 1);
  const { options, servers, all, headers } = readOptions(words.slice(0, end));
  const idle = options.get('--idle');
  const idleMs = idle === undefined ? DEFAULT_IDLE_MS : durationOf('--idle')(idle);
  const ofConfig = options.has('--config') || servers.length > 0 || all;
  if (servers.length === 1 && /^https?:\/\//i.test(servers[0]!)) {
    const misplaced = ['--config', '--env', '--cwd'].find((name) => options.has(name));
    if (misplaced) throw usage(`${misplaced} is not for a remote server`);
    if (command.length > 0 || all) throw usage('Name one server');
    return { settings: { shared: true }, use: {}, address: addressOf(servers[0]!, headers, options), idleMs };
  }
  if (headers.length > 0 || options.has('--transport')) throw usage('--header and --transport are for a URL');
  if (command.length > 0) {
    if (ofConfig) throw usage('A command after -- is a server of no config');
    return { settings: { shared: true }, use: { brought: broughtServer(command, options, env) }, idleMs };
  }
  const misplaced = ['--name', '--env', '--cwd', '--share'].find((name) => options.has(name));
  if (misplaced) {
    throw usage(
      `${misplaced} is for a command after --`,
      'A server of a config has its name, "env", "cwd" and "share" in its entry there.',
    );
  }
  if (servers.length + Number(all) !== 1) throw usage('Name one server, or all of them by --all');
  return { settings: { config: options.get('--config') }, use: all ? {} : { server: servers[0] }, idleMs };
}

function readOptions(words: readonly string[]) {
  const options = new Map<string, string>();
  const servers: string[] = [];
  const headers: string[] = [];
  let all = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === '--all') all = true;
    else if (!word.startsWith('-')) servers.push(word);
    else {
      const [name, ...rest] = word.split('=') as [string, ...string[]];
      if (!withValue.has(name)) throw usage(`Unknown option ${name}`);
      const value = rest.length > 0 ? rest.join('=') : words[++at];
      if (value === undefined) throw usage(`${name} needs a value`);
      if (name === '--header') headers.push(value);
      else if (name === '--env')
        options.set(name, [...(options.has(name) ? [options.get(name)] : []), value].join(','));
      else options.set(name, value);
    }
  }
  return { options, servers, all, headers };
}

function addressOf(url: string, header: readonly string[], options: ReadonlyMap<string, string>): ConnectAddress {
  const text = options.get('--transport') ?? 'auto';
  const transport = remoteTransports.find((each) => each === text);
  if (!transport) throw usage(`--transport cannot be "${text}"`, `Write one of ${remoteTransports.join(', ')}.`);
  return { url, header, transport, name: options.get('--name'), share: readShare(options.get('--share')) };
}

const HOW_TO_SET = 'Set it in "env" of the entry that has this command, or remove it from --env.';

/** Values of variables come from our own environment, where the host has put them: never from the arguments, which all users see. */
function broughtServer(
  [command, ...args]: readonly string[],
  options: ReadonlyMap<string, string>,
  env: NodeJS.ProcessEnv,
): BroughtCommand {
  const names = options.get('--env')?.split(',') ?? [];
  return {
    name: options.get('--name') ?? basename(command!),
    command: command!,
    args,
    env: Object.fromEntries(
      names.map((name) => {
        if (name.includes('='))
          throw usage('--env takes names only, since a command line is visible to others', HOW_TO_SET);
        const value = readVariable(env, name);
        if (value === undefined) {
          throw usage(`The variable "${name}" of --env is not set`, HOW_TO_SET);
        }
        return [name, value];
      }),
    ),
    cwd: resolve(options.get('--cwd') ?? '.'),
    path: readVariable(env, 'PATH'),
    share: readShare(options.get('--share')),
  };
}

function readShare(text: string | undefined): SharePolicy['by'] | undefined {
  const by = shareModes.find((mode) => mode === text);
  if (text === undefined || by) return by;
  throw usage(`--share cannot be "${text}"`, `Write one of ${shareModes.join(', ')}.`);
}

const synopsis = `${ownCommand} connect <server> | --all [--config FILE] [--idle TIME], or ${ownCommand} connect [--name NAME] [--env NAME …] [--cwd FOLDER] [--share BY] [--idle TIME] -- command …, or ${ownCommand} connect URL [--header "Name: value"] [--transport http|sse] [--name NAME] [--share BY] [--idle TIME]`;

function usage(problem: string, hint = synopsis): UsageError {
  return new UsageError('INVALID_OPTION', problem, { hint });
}
