// The command lines of Standpipe in the docs: each line in code blocks, and inline code that begins with its name.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../repository/files.ts';
import { codeBlocks, inlineCode } from '../repository/markdown.ts';

export interface DocumentedCommand {
  page: string;
  line: string;
  /** Whether it is inline code, where a command may lack its arguments. */
  isInText: boolean;
  /** The words after the name of the program. */
  words: string[];
}

const pages = ['README.md', 'README.zh-CN.md', ...readdirSync(join(root, 'docs')).map((file) => `docs/${file}`)];
/** Languages of code blocks whose lines are commands. Other blocks show output or syntax. */
const shells = new Set(['sh', 'bash', 'yaml']);
const called = /(?:^|[\s$(])(?:npx (?:--yes |-y )?)?standpipe(?:@[\d.]+)? (.*)$/;
/** Matches placeholders: `<server>`, `[name]`, `a|b`, `…`, or a word in capitals, but not the placeholders of `check`. */
const general = /[<[|…]|(?:^|\s)[A-Z]{2,}(?:\s|$)/;

export const documentedCommands: readonly DocumentedCommand[] = pages
  .filter((page) => page.endsWith('.md'))
  .flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8');
    const lines = codeBlocks(text)
      .filter(({ language }) => shells.has(language))
      .flatMap(({ code }) => code.split('\n'));
    const inText = inlineCode(text).filter((code) => code.startsWith('standpipe '));
    return [...lines, ...inText].flatMap((line) => {
      const rest = line.includes('npm install') ? undefined : called.exec(line)?.[1];
      if (rest === undefined || general.test(rest)) return [];
      return [{ page, line: line.trim(), isInText: inText.includes(line), words: shellWords(rest) }];
    });
  });

/** Options of `check` that name rules, in inline code without a command. */
export const documentedRuleOptions: readonly DocumentedCommand[] = pages
  .filter((page) => page.endsWith('.md'))
  .flatMap((page) =>
    inlineCode(readFileSync(join(root, page), 'utf8'))
      .filter((code) => /^--(?:only|skip|rule) [a-z]/.test(code))
      .map((line) => ({ page, line, isInText: true, words: ['check', ...shellWords(line)] })),
  );

/** Splits a line into words like a shell, without the comment, the end of a substitution and redirections. */
function shellWords(line: string): string[] {
  const words = [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word);
  const end = words.findIndex((word) => /^(?:#|>)/.test(word));
  return (end < 0 ? words : words.slice(0, end)).map((word) =>
    word.replace(/\)'?$/, '').replaceAll(/['"]/g, (quote, at) => {
      return isOuter(word, quote, at) ? '' : quote;
    }),
  );
}

/** A quote inside other quotes is text. */
function isOuter(word: string, quote: string, at: number): boolean {
  const other = quote === "'" ? '"' : "'";
  return word.slice(0, at).split(other).length % 2 === 1;
}
