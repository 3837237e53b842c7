// Answers a shell's question for what may come next: a candidate a line, with a word about it behind a tab. Quick or not
// at all, and silent whatever happens: somebody is in the middle of typing.

import { visibleLine } from '../output/visible.ts';
import { candidates } from './candidates.ts';
import { completionSources } from './sources.ts';

const PATIENCE_MS = 1500;

export async function answerShell(line: readonly string[]): Promise<void> {
  setTimeout(() => process.exit(0), PATIENCE_MS).unref();
  try {
    const answer = await candidates(line, completionSources);
    const lines = Array.isArray(answer)
      ? answer.map(({ word, about }) => (about ? `${word}\t${visibleLine(about).slice(0, 80)}` : word))
      : [`:files ${answer.filesBehind}`];
    if (lines.length > 0) process.stdout.write(`${[...new Set(lines)].join('\n')}\n`);
  } catch {
    // there is nothing to suggest, and nobody to tell
  }
}
