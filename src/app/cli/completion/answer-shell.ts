// Answers a completion request of a shell: one candidate per line, with a description after a tab. The wait for hosts is limited
// (`sources.ts`) and errors are not printed, because the user is typing.

import { visibleLine } from '../../../base/terminal/visible.ts';
import { candidates } from './candidates.ts';
import { completionSources } from './sources.ts';

export async function answerShell(line: readonly string[]): Promise<void> {
  try {
    const answer = await candidates(wordsOf(line), completionSources);
    const lines = Array.isArray(answer)
      ? answer.map(({ word, about }) => (about ? `${word}\t${visibleLine(about).slice(0, 80)}` : word))
      : [`:files ${answer.filesBehind}`];
    if (lines.length > 0) process.stdout.write(`${[...new Set(lines)].join('\n')}\n`);
  } catch {
    // no suggestions; an error cannot be shown
  }
}

/** The words themselves, or one argument `--hex=…`: UTF-8 in hexadecimal digits, with a NUL between words. */
function wordsOf(line: readonly string[]): readonly string[] {
  const hex = line.length === 1 && /^--hex=([\da-f]*)$/i.exec(line[0]!)?.[1];
  return typeof hex === 'string' ? Buffer.from(hex, 'hex').toString().split('\0') : line;
}
