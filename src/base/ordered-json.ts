// Compares values of peers that may write the members of an object in any order.

import { isObject } from './json-object.ts';

/** JSON whose members are in the order of their names. */
export function orderedJson(value: unknown): string {
  return JSON.stringify(value, ordered) ?? 'null';
}

function ordered(_: string, value: unknown): unknown {
  return isObject(value) ? Object.fromEntries(Object.entries(value).sort(byName)) : value;
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}
