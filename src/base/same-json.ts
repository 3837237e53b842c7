// Whether two JSON values are equal, whatever the order of the members of their objects. Without copies or text, because a
// list of definitions is compared at every listing.

/** Both values must be JSON, at most 1,000 levels deep: what a decoder returns. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) return sameLists(one, other);
  return sameMembers(one as Record<string, unknown>, other as Record<string, unknown>);
}

function sameLists(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (!sameJson(one[at], other[at])) return false;
  return true;
}

/** Loops over the members take a third of the time of lists of their names. Decoded objects inherit no enumerable members. */
function sameMembers(one: Record<string, unknown>, other: Record<string, unknown>): boolean {
  let count = 0;
  for (const name in one) {
    count++;
    const value = other[name];
    if (value === undefined || (name === '__proto__' && !Object.hasOwn(other, name))) return false;
    if (!sameJson(one[name], value)) return false;
  }
  for (const _ in other) count--;
  return count === 0;
}
