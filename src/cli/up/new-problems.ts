// What is wrong with a config now that was not wrong with it before: only that is news. A problem that an edit above it has
// moved to another line is an old one; a text that is no config fails at a place, and another place is another fault.

import type { ConfigProblem } from '../../config/problem.ts';

export function newProblems(before: readonly ConfigProblem[], now: readonly ConfigProblem[]): ConfigProblem[] {
  const known = new Set(before.map(identity));
  return now.filter((problem) => !known.has(identity(problem)));
}

function identity({ severity, file, server, message, line, column }: ConfigProblem): string {
  const isOfWholeFile = severity === 'error' && server === undefined;
  return JSON.stringify([severity, file, server, message, ...(isOfWholeFile ? [line, column] : [])]);
}
