// Suggests a name for a misspelled one: the nearest by edit distance. A swap of neighbours is one edit.

const MOST_NAMES = 20;
/** Limit for compared names: a server may list any number of them. */
export const MOST_SUGGESTED = 1000;

/** The first values, at most `most`. */
export function firstOf<T>(values: Iterable<T>, most: number): T[] {
  const first: T[] = [];
  for (const value of values) {
    if (first.length === most) break;
    first.push(value);
  }
  return first;
}

export function nearest(name: string, known: Iterable<string>): string | undefined {
  // Up to a third of the letters may be wrong; more distant suggestions are misleading.
  let best: string | undefined;
  let bestEdits = Math.max(1, Math.floor(name.length / 3)) + 1;
  let compared = 0;
  for (const candidate of known) {
    if (++compared > MOST_SUGGESTED) break;
    if (Math.abs(candidate.length - name.length) >= bestEdits) continue;
    const edits = countEdits(name.toLowerCase(), candidate.toLowerCase());
    // Names without a common letter are unrelated.
    if (edits >= Math.max(name.length, candidate.length)) continue;
    if (edits < bestEdits) [best, bestEdits] = [candidate, edits];
  }
  return best;
}

export function didYouMean(name: string, known: Iterable<string>): string | undefined {
  const meant = name === '' || name.length > 100 ? undefined : nearest(name, known);
  return meant === undefined ? undefined : `Did you mean "${meant}"?`;
}

/** Hint for an unknown name: a similar name and the existing ones. `none` is the hint if there are none. */
export function hintOfNames<T>(name: string, names: readonly string[], none: T): string | T {
  if (names.length === 0) return none;
  const more = names.length > MOST_NAMES ? ', …' : '';
  const there = `There are: ${names.slice(0, MOST_NAMES).join(', ')}${more}`;
  const meant = didYouMean(name, names);
  return meant ? `${meant} ${there}` : there;
}

/** Optimal string alignment; keeps the two previous rows. */
function countEdits(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let edits = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) edits = Math.min(edits, beforeLast[column - 2]! + 1);
      current.push(edits);
    }
    [beforeLast, last] = [last, current];
  }
  return last[b.length]!;
}
