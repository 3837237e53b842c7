// The limit on the nesting of JSON that is walked or written. Without it the stack would be the limit, which varies:
// JSON.stringify fails at about 4,000 levels in Node.js 20 to 24, and for most values never in Node.js 26. Parsers of other
// languages may stop at 1,000.

/** The maximum number of nested objects and arrays. Messages need far fewer levels, and every stack allows far more. */
export const MAX_NESTING = 1_000;

export function isNestedTooDeeply(value: unknown): boolean {
  return typeof value === 'object' && value !== null && isDeeper(value, MAX_NESTING);
}

/** Recursion is safe because the levels are bounded. Takes a tenth of the time of JSON.stringify. */
function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const each of value) if (typeof each === 'object' && each !== null && isDeeper(each, levels - 1)) return true;
    return false;
  }
  // JSON.stringify writes the result of toJSON instead; the members of the object itself may be circular.
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return false;
  for (const key in value) {
    const each = (value as Record<string, unknown>)[key];
    if (typeof each === 'object' && each !== null && isDeeper(each, levels - 1)) return true;
  }
  return false;
}
