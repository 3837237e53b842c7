// Values that come from outside can be nested deeper than JSON can be written again without running out of stack. These are
// told by walking them level by level.

/** Far more than anybody means, and far less than any stack holds. */
const MOST_LEVELS = 1_000;

export function isNestedTooDeeply(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= MOST_LEVELS; depth++) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
    if (level.length === 0) return false;
  }
  return true;
}
