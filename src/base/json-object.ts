// Helpers for JSON values: their kinds, and objects with arbitrary member names.

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The `_meta` of parameters, of a result, or of an entry that a peer sent. It may have any type, and spreading a long string makes a
 * member of each character, so `_meta` is read only with this function.
 */
export function metaOf(of: { readonly _meta?: unknown } | undefined): JsonObject | undefined {
  const meta = of?._meta;
  return isObject(meta) ? meta : undefined;
}

/** Sets a member whose name comes from a peer: `__proto__` becomes an ordinary member. */
export function setOwn<T>(target: Record<string, T>, name: string, value: T): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}

/** Names the kind of a value for messages: "null", "absent", "an array", "an object", "a string". */
export function jsonKind(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'absent';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
