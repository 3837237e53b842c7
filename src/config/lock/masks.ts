// Masks: paths of parts of definitions that may differ between two listings, such as a date in a description. A masked part is left out
// before a definition is hashed. A mask is a JSON pointer that begins with the list and the name of the entry: `/tools/search/description`.
// The segment `*` stands for any name.

import { isObject, type JsonObject } from '../../base/json-object.ts';

/** Segments after the list: the name, and the path in the definition. */
export type Mask = readonly string[];

export const MOST_MASKS = 200;

/** Undefined if the text is not a mask. A mask of a whole definition would approve anything. */
export function parseMask(text: string): { list: string; path: Mask } | undefined {
  if (!text.startsWith('/')) return undefined;
  const [list, ...path] = text
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  return path.length >= 2 && list && path.every((segment) => segment !== '') ? { list, path } : undefined;
}

/** The definition without its masked parts: the same object if no mask applies. */
export function masked(definition: unknown, name: string, masks: readonly Mask[]): unknown {
  const fitting = masks.filter(([first]) => first === '*' || first === name);
  return fitting.reduce((value, [, ...path]) => without(value, path), definition);
}

function without(value: unknown, [segment, ...rest]: Mask): unknown {
  if (segment === undefined) return value;
  if (Array.isArray(value)) return value.map((each, at) => member(each, String(at), segment, rest) ?? null);
  if (!isObject(value)) return value;
  const kept: JsonObject = Object.create(null);
  for (const [name, each] of Object.entries(value)) {
    const next = member(each, name, segment, rest);
    if (next !== undefined) kept[name] = next;
  }
  return kept;
}

function member(value: unknown, name: string, segment: string, rest: Mask): unknown {
  if (segment !== '*' && segment !== name) return value;
  return rest.length === 0 ? undefined : without(value, rest);
}
