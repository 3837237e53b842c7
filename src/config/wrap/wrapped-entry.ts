// Puts a command of Standpipe before the command of a server in the text of a config, and removes it. Only the command and its
// arguments change: comments, white space and the spelling of everything else stay, so that removing it restores the text
// exactly. Works on text and offsets; does not read files.
//
//   "command": "npx", "args": ["-y", "x"]
//   "command": "standpipe", "args": ["tap", "--name", "x", "--", "npx", "-y", "x"]

import type { Edit, Node } from 'jsonc-parser';
import type { Fields } from '../read/fields.ts';

/** A command of Standpipe that takes the command of a server after `--`. */
export type Wrapper = 'tap' | 'connect';

/** The command and the arguments of a server in the text. */
export interface Entry {
  command: Node;
  args: Node | undefined;
}

/** Undefined if there is no command, as for a remote server. */
export function readEntry(server: Fields): Entry | undefined {
  const command = server.value('command');
  const args = server.value('args');
  if (command?.type !== 'string' || (args && args.type !== 'array')) return undefined;
  return { command, args };
}

/** The index in `args` of the command after the wrapper; undefined if the command is not wrapped in it. */
export function wrappedCommandIndex({ command, args }: Entry, wrapper: Wrapper): number | undefined {
  const words = wordsOf(args);
  const index = words.indexOf('--') + 1;
  if (index === 0 || index >= words.length) return undefined;
  return runsStandpipe([String(command.value), ...words.slice(0, index - 1)], wrapper) ? index : undefined;
}

/** Whether the command is the wrapper, with a command after `--` or without. */
export function runsWrapper({ command, args }: Entry, wrapper: Wrapper): boolean {
  const words = wordsOf(args);
  const end = words.indexOf('--');
  return runsStandpipe([String(command.value), ...(end < 0 ? words : words.slice(0, end))], wrapper);
}

function wordsOf(args: Node | undefined): string[] {
  return (args?.children ?? []).map((word) => String(word.value));
}

/** `standpipe tap`, `npx -y standpipe@1 tap`, `node …/cli/main.cjs tap`, also if added by hand. */
export function runsStandpipe(words: readonly string[], wrapper: Wrapper): boolean {
  return words.some(
    (word, i) =>
      words[i + 1] === wrapper && /(?:^|[\\/])standpipe(?:\.\w+|@[\w.-]+)?$|[\\/]cli[\\/]main\.cjs$/.test(word),
  );
}

/** `words`: the wrapper and its options, without the `--`. */
export function wrapEdits(text: string, { command, args }: Entry, words: readonly string[]): Edit[] {
  const [program, ...options] = words.map((word) => JSON.stringify(word));
  const before = [...options, '"--"', sourceOf(text, command)].join(', ');
  return [{ offset: command.offset, length: command.length, content: program! }, argsEdit(text, command, args, before)];
}

function argsEdit(text: string, command: Node, args: Node | undefined, before: string): Edit {
  if (!args) return insertion(endOf(command), `,${spaceBefore(text, command.parent!)}"args": [${before}]`);
  const first = args.children?.[0];
  if (!first) return insertion(args.offset + 1, before);
  const space = text.slice(args.offset + 1, first.offset);
  return insertion(args.offset + 1, `${space.trim() === '' ? space : ''}${before},`);
}

/** `hadArgs`: whether there were arguments before the wrapper was added. */
export function unwrapEdits(text: string, { command, args }: Entry, index: number, hadArgs: boolean): Edit[] {
  const words = args!.children!;
  const original = words[index]!;
  const restored = { offset: command.offset, length: command.length, content: sourceOf(text, original) };
  const between = text.slice(endOf(command), args!.offset);
  if (index === words.length - 1 && !hadArgs && /^,\s*"args"\s*:\s*$/.test(between)) {
    return [restored, deletion(endOf(command), endOf(args!))];
  }
  const next = words[index + 1];
  const end = next ? text.indexOf(',', endOf(original)) + 1 : endOf(original);
  return [restored, deletion(args!.offset + 1, end)];
}

function sourceOf(text: string, node: Node): string {
  return text.slice(node.offset, endOf(node));
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

/** The line break and indentation before a property, or a space if another property is on the same line. */
function spaceBefore(text: string, property: Node): string {
  return /(?:\r?\n|\r)[ \t]*$/.exec(text.slice(0, property.offset))?.[0] ?? ' ';
}

function insertion(offset: number, content: string): Edit {
  return { offset, length: 0, content };
}

function deletion(from: number, to: number): Edit {
  return { offset: from, length: to - from, content: '' };
}
