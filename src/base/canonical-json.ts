// JSON text that is equal for equal values: RFC 8785, the JSON Canonicalization Scheme. Members are sorted by the UTF-16 code units of
// their names; numbers and strings have the form that `JSON.stringify` gives them.

/** The value must be JSON: what `JSON.parse` returns. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const object = value as Record<string, unknown>;
  const names = Object.keys(object).filter((name) => object[name] !== undefined);
  return `{${names
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(object[name])}`)
    .join(',')}}`;
}
