// Escapes U+2028 and U+2029 in JSON that is sent or stored as lines. `readline` of Node.js 24 and later, and Python's
// `splitlines`, end a line at either character. Escaping keeps the value of the JSON. Both characters can occur only
// inside strings, so they can be replaced in the text.

const LINE_SEPARATOR = '\u2028';
const PARAGRAPH_SEPARATOR = '\u2029';

/**
 * Returns the string unchanged if it contains neither character. A Latin-1 string needs no scan: V8 excludes it by its
 * encoding. Other strings are searched by memchr.
 */
export function escapeLineSeparators(json: string): string {
  if (!json.includes(LINE_SEPARATOR) && !json.includes(PARAGRAPH_SEPARATOR)) return json;
  return json.replaceAll(LINE_SEPARATOR, '\\u2028').replaceAll(PARAGRAPH_SEPARATOR, '\\u2029');
}
