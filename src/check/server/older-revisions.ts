// Reduces failures that concern only old revisions to warnings: a server does not fail because of a revision that its clients no longer
// choose.

import type { Revision } from '../../mcp/revisions.ts';
import type { Outcome } from '../report/report.ts';

/**
 * A failure in a revision before the newest of the server is a warning, unless the rule also fails in the newest one, or the revision was
 * requested. `supported`: newest first.
 */
export function easeOlderRevisions(
  outcomes: readonly Outcome[],
  [newest]: readonly Revision[],
  asked: readonly Revision[] = [],
): Outcome[] {
  const failing = new Set(
    outcomes.filter(({ status, revision }) => status === 'failed' && revision === newest).map(({ rule }) => rule),
  );
  return outcomes.map((outcome) => {
    const { status, rule, revision } = outcome;
    if (status !== 'failed' || revision === undefined || revision >= newest!) return outcome;
    if (asked.includes(revision) || failing.has(rule)) return outcome;
    return { ...outcome, status: 'warning', note: noteOf(revision, newest!) };
  });
}

function noteOf(revision: Revision, newest: Revision): string {
  return `This is a warning because it concerns only ${revision}, and the newest revision of the server is ${newest}. With --revision ${revision} it is a failure.`;
}
