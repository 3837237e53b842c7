// Shows how many rows of a large table are not shown.

import { plural } from '../../text/amounts.ts';

export const MOST_ROWS = 500;

export function More({ count, what }: { count: number; what: string }) {
  if (count === 0) return <p className="muted">No matching {what}.</p>;
  if (count <= MOST_ROWS) return null;
  return <p className="muted">{plural(count - MOST_ROWS, `more ${what}`)}: search for them.</p>;
}
