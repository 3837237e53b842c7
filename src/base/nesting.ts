// How deeply JSON may be nested where we walk it or write it. Without a limit of our own, the stack would be the limit, and that
// differs: JSON.stringify of Node.js 20 to 24 fails at about 4,000 levels, that of Node.js 26 for most values never. The
// other end may be written in a language whose parser stops at 1,000.

/** Objects and arrays inside each other. Far more than any message needs, and far less than any stack holds. */
export const MAX_NESTING = 1_000;

export function isNestedTooDeeply(value: unknown): boolean {
  return typeof value === 'object' && value !== null && isDeeper(value, MAX_NESTING);
}

/** Recursive, as the levels are bounded: this costs a tenth of writing the value as JSON. */
function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const each of value) if (typeof each === 'object' && each !== null && isDeeper(each, levels - 1)) return true;
    return false;
  }
  // It is written as what this gives; its members may well point back to it.
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return false;
  for (const key in value) {
    const each = (value as Record<string, unknown>)[key];
    if (typeof each === 'object' && each !== null && isDeeper(each, levels - 1)) return true;
  }
  return false;
}
