// The limit on the nesting of JSON that is walked or written. Without it the stack would be the limit, which varies:
// JSON.stringify fails at about 4,000 levels in Node.js 20 to 24, and for most values never in Node.js 26. Parsers of other
// languages may stop at 1,000.

/** Levels of objects and arrays. Far more than any message needs, and far less than any stack allows. */
export const MAX_NESTING = 1_000;

export function isNestedTooDeeply(value: unknown): boolean {
  return typeof value === 'object' && value !== null && isDeeper(value, MAX_NESTING);
}

/** Recursive, because the levels are bounded. Takes a tenth of the time of JSON.stringify. */
function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const each of value) if (typeof each === 'object' && each !== null && isDeeper(each, levels - 1)) return true;
    return false;
  }
  // The result of toJSON is written instead; its members may refer back to it.
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return false;
  for (const key in value) {
    const each = (value as Record<string, unknown>)[key];
    if (typeof each === 'object' && each !== null && isDeeper(each, levels - 1)) return true;
  }
  return false;
}
