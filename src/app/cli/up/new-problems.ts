// The problems of a config that are new since the last load. A problem that only moved to another line is not new; a syntax error
// at another position is.

import type { ConfigProblem } from '../../../config/problem.ts';

export function newProblems(before: readonly ConfigProblem[], now: readonly ConfigProblem[]): ConfigProblem[] {
  const known = new Set(before.map(identity));
  return now.filter((problem) => !known.has(identity(problem)));
}

function identity({ severity, file, server, message, line, column }: ConfigProblem): string {
  const isOfWholeFile = severity === 'error' && server === undefined;
  return JSON.stringify([severity, file, server, message, ...(isOfWholeFile ? [line, column] : [])]);
}
