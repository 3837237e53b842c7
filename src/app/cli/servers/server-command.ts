// A server for one command, without a config: `-- <command …>`, or `--url <address>`.

import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { DEFAULT_MAX_FRAME_VALUES } from '../../../base/count-json-values.ts';
import { COMMAND_LINE } from '../../../config/problem.ts';
import {
  type CommandConfig,
  defaultCommandSettings,
  defaultRestart,
  defaultSettings,
  type ServerConfig,
  type ServerSettings,
} from '../../../config/server-config.ts';
import type { Era, Revision } from '../../../mcp/revisions.ts';
import { DEFAULT_MAX_FRAME_BYTES } from '../../../wire/framing/framing.ts';
import type { Settings } from '../invocation.ts';
import { type Invocation, invalidOption } from '../invocation.ts';
import type { AddressOptions } from './server-at-address.ts';

export interface ServerCommandOptions extends AddressOptions {
  /** `--env NAME=VALUE`, or `NAME` to pass on its current value. */
  env?: readonly string[];
  cwd?: string;
  protocol?: 'mcp' | 'litemcp';
  framing?: string;
  era?: 'auto' | Era;
  revision?: Revision;
}

/** The server given on the command line, if any. */
export async function givenServer(
  { serverCommand, settings, out }: Pick<Invocation, 'serverCommand' | 'settings' | 'out'>,
  options: ServerCommandOptions,
): Promise<ServerConfig | undefined> {
  const { url } = options;
  if (url === undefined) {
    const [needless] = (['header', 'transport'] as const).filter((name) => options[name] !== undefined);
    if (needless) throw invalidOption(`--${needless} needs --url`, 'Add --url <address>.');
    return serverCommand && serverOfCommand(serverCommand, options, settings);
  }
  const ofCommands = (['env', 'cwd', 'protocol', 'framing'] as const).find((name) => options[name] !== undefined);
  if (serverCommand || ofCommands) {
    const other = ofCommands ? `--${ofCommands}` : 'A command after --';
    throw invalidOption(`${other} cannot be used for a remote server`, 'Remove one of the two.');
  }
  const { serverAtAddress } = await import('./server-at-address.ts');
  const { server, warnings } = serverAtAddress(url, options, settings);
  for (const warning of warnings) out.tell('warning', warning);
  const { era = server.era, revision } = options;
  return { ...server, era, revision };
}

/** Settings of a server that only one command uses. */
export function forOneServer({ timeoutMs = defaultSettings.startupTimeoutMs }: Settings) {
  return {
    startupTimeoutMs: timeoutMs,
    requestTimeoutMs: timeoutMs,
    pingTimeoutMs: 0, // the server is used for one call only
    maxFrameBytes: DEFAULT_MAX_FRAME_BYTES, // no other server shares this process
    maxFrameValues: DEFAULT_MAX_FRAME_VALUES,
    restart: { ...defaultRestart, policy: 'never' },
    source: { file: COMMAND_LINE, line: 1, column: 1 },
  } satisfies Partial<ServerSettings>;
}

export function serverOfCommand(
  words: readonly string[],
  options: ServerCommandOptions,
  settings: Settings,
): CommandConfig {
  const [command, ...args] = words;
  if (!command) throw invalidOption('There is no command after --', 'For example: -- node server.mjs');
  const cwd = options.cwd ?? process.cwd();
  return {
    ...defaultSettings,
    ...defaultCommandSettings,
    name: nameOf(command, args, cwd),
    command,
    args,
    env: Object.fromEntries((options.env ?? []).map(readVariable)),
    cwd,
    protocol: options.protocol ?? defaultCommandSettings.protocol,
    framing: options.framing,
    era: options.era ?? defaultSettings.era,
    revision: options.revision,
    ...forOneServer(settings),
  };
}

/** Matches a path or a package in any script. Excludes characters that also occur in code for `node -e` or `sh -c`. */
const plainWord = /^[\p{L}\p{M}\p{N}_@./\\][\p{L}\p{M}\p{N}_@./\\:-]*$/u;

/** `python3 some/weather.py` is named `weather`. A word with spaces or punctuation is used only if such a file exists. */
function nameOf(command: string, args: readonly string[], cwd: string): string {
  const isFile = (arg: string) => arg !== '' && !arg.startsWith('-') && existsSync(resolve(cwd, arg));
  const script = args.find((arg) => plainWord.test(arg) || isFile(arg));
  return basename(script ?? command).replace(/\.[a-z]+$/i, '') || command;
}

function readVariable(text: string): [string, string] {
  const at = text.indexOf('=');
  const name = at < 0 ? text : text.slice(0, at);
  const value = at < 0 ? process.env[name] : text.slice(at + 1);
  if (name !== '' && value !== undefined) return [name, value];
  const hint = 'Write --env NAME=VALUE, or --env NAME to pass on a variable.';
  throw invalidOption(name ? `The variable ${name} is not set` : `--env cannot be "${text}"`, hint);
}
