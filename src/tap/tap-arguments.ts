// The command line of a tap: its own options, then the command of the server, which starts after `--` or at the first word that
// is not an option. With `--url`, or a URL in its place, there is no command.

import { UsageError } from '../base/errors.ts';
import { ownCommand } from '../base/own-command.ts';
import type { TapOptions } from './run-tap.ts';

/** A tap before a command, or before a remote server. */
export type TapArguments = CommandTap | AddressTap;

interface Options extends Omit<TapOptions, 'framing' | 'command' | 'args'> {
  framing?: string;
  url?: string;
  port?: number;
}

interface CommandTap extends Omit<Options, 'url' | 'port'> {
  command: string;
  args: readonly string[];
  url?: undefined;
}

interface AddressTap extends Options {
  url: string;
}

const withValue: Readonly<Record<string, (options: Options, value: string) => void>> = {
  '--record': (options, value) => {
    options.record = value;
  },
  '--name': (options, value) => {
    options.name = value;
  },
  '--url': (options, value) => {
    options.url = value;
  },
  '--port': (options, value) => {
    options.port = wholeNumber('--port', value);
  },
  '--framing': (options, value) => {
    options.framing = value;
  },
  '--mask-env': (options, value) => {
    options.maskEnv = [...(options.maskEnv ?? []), ...value.split(',')];
  },
  '--redact-key': (options, value) => {
    options.redactKeys = [...(options.redactKeys ?? []), value];
  },
  '--redact-path': (options, value) => {
    options.redactPaths = [...(options.redactPaths ?? []), value];
  },
  '--keep-bytes': (options, value) => {
    options.keepFrameBytes = wholeNumber('--keep-bytes', value);
  },
  '--max-file-bytes': (options, value) => {
    options.recorder = { ...options.recorder, maxFileBytes: wholeNumber('--max-file-bytes', value) };
  },
  '--max-files': (options, value) => {
    options.recorder = { ...options.recorder, maxFiles: wholeNumber('--max-files', value) };
  },
};

export function parseTapArguments(words: readonly string[]): TapArguments {
  const options: Options = {};
  let at = 0;
  while (at < words.length && words[at] !== '--') {
    if (options.url === undefined && /^https?:\/\//i.test(words[at]!)) {
      options.url = words[at++];
      continue;
    }
    if (!words[at]!.startsWith('-')) break;
    const [name, ...rest] = words[at]!.split('=');
    if (name === '--no-announce') {
      options.announce = false;
      at++;
      continue;
    }
    const set = withValue[name!];
    if (!set) throw usage(`Unknown option ${name}`);
    const value = rest.length > 0 ? rest.join('=') : words[++at];
    if (value === undefined) throw usage(`${name} needs a value`);
    set(options, value);
    at++;
  }
  const [command, ...args] = words.slice(words[at] === '--' ? at + 1 : at);
  const { url, port, ...rest } = options;
  if (url !== undefined) {
    if (command !== undefined) throw usage('A URL and a command exclude each other');
    return { ...options, url };
  }
  if (port !== undefined) throw usage('--port needs a URL');
  if (command === undefined) throw usage('There is no command to run');
  return { ...rest, command, args };
}

function wholeNumber(name: string, value: string): number {
  if (/^[1-9]\d{0,14}$/.test(value)) return Number(value);
  throw usage(`${name} needs an integer, not ${JSON.stringify(value)}`);
}

function usage(problem: string): UsageError {
  return new UsageError('INVALID_OPTION', problem, {
    hint: `${ownCommand} tap [--record FILE] [--name NAME] [--mask-env NAME,…] [--no-announce] -- command …, or ${ownCommand} tap [options] URL`,
  });
}
