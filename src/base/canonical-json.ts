// JSON text that is equal for equal values: RFC 8785, the JSON Canonicalization Scheme. Members are sorted by the UTF-16 code units of
// their names; numbers and strings have the form that `JSON.stringify` gives them.

import { MAX_NESTING, tooDeep } from './to-json.ts';

/** The value must be JSON: what `JSON.parse` returns. Throws MESSAGE_NOT_SERIALIZABLE if it is nested too deeply. */
export function canonicalJson(value: unknown): string {
  return write(value, MAX_NESTING);
}

function write(value: unknown, levels: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (levels === 0) throw tooDeep();
  if (Array.isArray(value)) return `[${value.map((each) => write(each, levels - 1)).join(',')}]`;
  const object = value as Record<string, unknown>;
  const names = Object.keys(object).filter((name) => object[name] !== undefined);
  return `{${names
    .sort()
    .map((name) => `${JSON.stringify(name)}:${write(object[name], levels - 1)}`)
    .join(',')}}`;
}
