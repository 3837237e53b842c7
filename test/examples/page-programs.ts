// The programs in the code blocks of a page. The first line of a program is a comment with its file name. The comment after
// a `console.log` is the expected output.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../repository/files.ts';
import { type CodeBlock, codeBlocks } from '../repository/markdown.ts';

export interface Program extends CodeBlock {
  /** Empty if the block has no file name. */
  file: string;
}

export function blocksOf(page: string): Program[] {
  return codeBlocks(readFileSync(join(root, page), 'utf8')).map(({ language, code }) => ({
    language,
    code,
    file: /^\/\/ ([\w-]+\.(?:mjs|json))\n/.exec(code)?.[1] ?? '',
  }));
}

export function programsOf(page: string): Program[] {
  return blocksOf(page).filter(({ language }) => /^(?:[mc]?[jt]sx?|javascript|typescript)$/.test(language));
}

/** Expected output of a program, from its comments. A server prints nothing to stdout. */
export function expectedOutput(code: string): string[] {
  return [...code.matchAll(/console\.log\(.*\/\/ (.*)$/gm)].map((match) => match[1]!);
}
