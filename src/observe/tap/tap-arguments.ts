// The command line of a tap: its own options, then the command of the server, which starts after `--` or at the first word that
// is not an option. With `--url`, or a URL in its place, there is no command.

import { UsageError } from '../../base/errors.ts';
import { ownCommand } from '../../base/own-command.ts';
import { ofFlag, ofText, ofTexts, readOptions } from './read-options.ts';
import type { TapOptions } from './run-tap.ts';

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

const options = {
  record: ofText,
  keep: ofFlag,
  name: ofText,
  url: ofText,
  port: ofText,
  framing: ofText,
  'mask-env': ofTexts,
  'redact-key': ofTexts,
  'redact-path': ofTexts,
  'keep-bytes': ofText,
  'max-file-bytes': ofText,
  'max-files': ofText,
  'no-announce': ofFlag,
};

export function parseTapArguments(words: readonly string[]): TapArguments {
  const isAddress = (word: string) => /^https?:\/\//i.test(word);
  const { values, positionals, command } = readOptions(words, options, usage, isAddress);
  const count = (name: 'port' | 'keep-bytes' | 'max-file-bytes' | 'max-files') => {
    const text = values[name];
    if (text === undefined) return undefined;
    if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
    throw usage(`--${name} needs an integer, not ${JSON.stringify(text)}`);
  };
  if (values.keep && values.record !== undefined) throw usage('--keep and --record cannot be combined');
  const [maxFileBytes, maxFiles] = [count('max-file-bytes'), count('max-files')];
  const given = {
    record: values.record,
    keep: values.keep,
    name: values.name,
    framing: values.framing,
    maskEnv: values['mask-env']?.flatMap((names) => names.split(',')),
    redactKeys: values['redact-key'],
    redactPaths: values['redact-path'],
    keepFrameBytes: count('keep-bytes'),
    recorder: maxFileBytes === undefined && maxFiles === undefined ? undefined : { maxFileBytes, maxFiles },
    announce: values['no-announce'] ? false : undefined,
  };
  const port = count('port');
  const addresses = values.url === undefined ? positionals : [values.url, ...positionals];
  const [url] = addresses;
  if (url !== undefined) {
    if (command.length > 0 || addresses.length > 1) throw usage('A URL and a command cannot be combined');
    return { ...given, port, url };
  }
  if (port !== undefined) throw usage('--port needs a URL');
  const [program, ...args] = command;
  if (program === undefined) throw usage('There is no command to run');
  return { ...given, command: program, args };
}

function usage(problem: string): UsageError {
  return new UsageError('INVALID_OPTION', problem, {
    hint: `${ownCommand} tap [--record FILE | --keep] [--name NAME] [--mask-env NAME,…] [--no-announce] -- command …, or ${ownCommand} tap [options] URL`,
  });
}
