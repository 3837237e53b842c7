// Reads the command lines of `tap` and `connect` without loading the rest of the command line, because a host waits for their start.

import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { UsageError } from '../../base/errors.ts';

type Options = NonNullable<ParseArgsConfig['options']>;
export type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: O; strict: true }>>['values'];

export const ofFlag = { type: 'boolean' } as const;
export const ofText = { type: 'string' } as const;
export const ofTexts = { type: 'string', multiple: true } as const;

/** `command`: the words after the first `--`, or from the first word that is neither an option nor accepted by `isOwn`. */
export function readOptions<const O extends Options>(
  words: readonly string[],
  options: O,
  usage: (problem: string) => UsageError,
  isOwn: (word: string) => boolean = () => true,
) {
  const parse = (args: readonly string[]) =>
    parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true });
  const first = parse(words).tokens.find(
    (token) => token.kind === 'option-terminator' || (token.kind === 'positional' && !isOwn(token.value)),
  );
  const end = first?.index ?? words.length;
  const { tokens, values, positionals } = parse(words.slice(0, end));
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const isFlag = options[token.name]?.type === 'boolean';
    if (!Object.hasOwn(options, token.name) || (isFlag && token.inlineValue)) {
      throw usage(`Unknown option ${token.rawName}`);
    }
    if (!isFlag && token.value === undefined) throw usage(`${token.rawName} needs a value`);
  }
  const command = words.slice(words[end] === '--' ? end + 1 : end);
  return { values: values as Values<O>, positionals, command };
}
