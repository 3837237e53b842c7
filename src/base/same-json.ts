// Whether two JSON values are equal, whatever the order of the members of their objects. Without copies or text, because a list of
// definitions is compared at every listing.

import { isObject } from './json-object.ts';

/** Both values must be JSON, at most 1,000 levels deep: what a decoder returns. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((each, at) => sameJson(each, other[at]));
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && sameJson(one[name], other[name]))
  );
}
