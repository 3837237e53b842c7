// A table of a large fleet shows its first rows, and says how many more there are.

import { plural } from '../../text/amounts.ts';

export const MOST_ROWS = 500;

export function More({ count, what }: { count: number; what: string }) {
  if (count === 0) return <p className="muted">No {what} has this text.</p>;
  if (count <= MOST_ROWS) return null;
  return <p className="muted">{plural(count - MOST_ROWS, `more ${what}`)}: search for them.</p>;
}
