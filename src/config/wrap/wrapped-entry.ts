// Adds a Standpipe command before the command of a server in the text of a config, and removes it. Only the command and its arguments
// change, so that removal restores the text exactly.
//
//   "command": "npx", "args": ["-y", "x"]
//   "command": "standpipe", "args": ["tap", "--name", "x", "--", "npx", "-y", "x"]

import type { Edit, Node } from 'jsonc-parser';
import type { Fields } from '../read/fields.ts';

/** Standpipe commands that accept the command of a server after `--`. */
export const wrappers = ['tap', 'connect'] as const;
export type Wrapper = (typeof wrappers)[number];

interface Entry {
  command: Node;
  args: Node | undefined;
}

/** Returns undefined if there is no command, as for a remote server. */
export function readEntry(server: Fields): Entry | undefined {
  const command = server.value('command');
  const args = server.value('args');
  if (command?.type !== 'string' || (args && args.type !== 'array')) return undefined;
  return { command, args };
}

/** A wrapper before a command. Wrappers can be nested: `standpipe tap -- standpipe connect -- npx x`. */
interface Layer {
  wrapper: Wrapper;
  /** Index of the first word of the wrapper, in the list of the command and its arguments. */
  start: number;
  /** Index of the command after the `--` of the wrapper; undefined if no command follows, as in `standpipe connect <server>`. */
  end: number | undefined;
}

/** The wrappers of a command, from the outermost to the innermost. */
export function layersOf({ command, args }: Entry): Layer[] {
  const words = [command, ...(args?.children ?? [])].map((word) => String(word.value));
  const layers: Layer[] = [];
  for (let start: number | undefined = 0; start !== undefined; start = layers.at(-1)!.end) {
    const dashes = words.indexOf('--', start);
    const own = dashes < 0 ? words.slice(start) : words.slice(start, dashes);
    const wrapper = wrappers.find((each) => runsStandpipe(own, each));
    if (wrapper === undefined) break;
    layers.push({ wrapper, start, end: dashes < 0 || dashes + 1 === words.length ? undefined : dashes + 1 });
  }
  return layers;
}

/** `standpipe tap`, `npx -y standpipe@1 tap`, `node …/cli/main.cjs tap`, even if added by hand. */
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

/** Removes a wrapper. `end`: the end of the wrapper. `hadArgs`: whether the entry had arguments before it was wrapped. */
export function unwrapEdits(
  text: string,
  { command, args }: Entry,
  { start }: Layer,
  end: number,
  hadArgs: boolean,
): Edit[] {
  const words = [command, ...args!.children!];
  const original = words[end]!;
  if (start > 0) return [deletion(words[start]!.offset, original.offset)];
  const restored = { offset: command.offset, length: command.length, content: sourceOf(text, original) };
  const between = text.slice(endOf(command), args!.offset);
  if (end === words.length - 1 && !hadArgs && /^,\s*"args"\s*:\s*$/.test(between)) {
    return [restored, deletion(endOf(command), endOf(args!))];
  }
  const next = words[end + 1];
  const cut = next ? text.indexOf(',', endOf(original)) + 1 : endOf(original);
  return [restored, deletion(args!.offset + 1, cut)];
}

function sourceOf(text: string, node: Node): string {
  return text.slice(node.offset, endOf(node));
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

/** The line break and indentation before a property, or a space if another property is on the same line. */
function spaceBefore(text: string, property: Node): string {
  let start = property.offset;
  while (text[start - 1] === ' ' || text[start - 1] === '\t') start--;
  const lineBreak = /\r?\n$|\r$/.exec(text.slice(Math.max(0, start - 2), start))?.[0];
  return lineBreak === undefined ? ' ' : lineBreak + text.slice(start, property.offset);
}

function insertion(offset: number, content: string): Edit {
  return { offset, length: 0, content };
}

function deletion(from: number, to: number): Edit {
  return { offset: from, length: to - from, content: '' };
}
