// Escapes U+2028 and U+2029 in JSON that is sent or stored as lines. `readline` of Node.js 24 and later, and `splitlines` of
// Python, end a line at either, so that unescaped ones break readers that use these. Escaped, the JSON has the same value. Both
// can occur only inside strings, so they can be replaced in the text.

const LINE_SEPARATOR = '\u2028';
const PARAGRAPH_SEPARATOR = '\u2029';

/**
 * Returns the same string if there are none. For a string of Latin-1 this needs no scan: V8 knows that it cannot contain them.
 * Other strings are searched by memchr.
 */
export function escapeLineSeparators(json: string): string {
  if (!json.includes(LINE_SEPARATOR) && !json.includes(PARAGRAPH_SEPARATOR)) return json;
  return json.replaceAll(LINE_SEPARATOR, '\\u2028').replaceAll(PARAGRAPH_SEPARATOR, '\\u2029');
}
