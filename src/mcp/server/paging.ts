// Splits long lists into pages. A cursor is opaque to the client and marks where the next page begins; invalid cursors
// are refused.

import { invalidParams } from '../protocol-errors.ts';

export interface Page<T> {
  items: readonly T[];
  nextCursor: string | undefined;
}

const CURSOR = /^after:(\d{1,9})$/;

export function page<T>(all: readonly T[], cursor: unknown, pageSize: number): Page<T> {
  const start = cursor === undefined || cursor === null ? 0 : startOf(cursor, all.length);
  const end = start + pageSize;
  if (start === 0 && end >= all.length) return { items: all, nextCursor: undefined };
  return { items: all.slice(start, end), nextCursor: end < all.length ? `after:${end}` : undefined };
}

function startOf(cursor: unknown, length: number): number {
  const match = typeof cursor === 'string' ? CURSOR.exec(cursor) : null;
  const start = Number(match?.[1]);
  if (!match || start > length) {
    throw invalidParams(`Invalid cursor ${JSON.stringify(cursor)}: use the nextCursor of the page before`);
  }
  return start;
}
