// U+2028 and U+2029 in JSON that is sent or stored as lines. From Node.js 24 on, `readline` ends a line at either, as
// Python's `splitlines` always did: raw, they break every reader that uses one of these. Escaped they are the same JSON.
// Both can stand in strings only, so they can be replaced in the text.

const LINE_SEPARATOR = '\u2028';
const PARAGRAPH_SEPARATOR = '\u2029';

/**
 * The same text where there are none, which takes no scan for a string of Latin-1: V8 knows that it cannot contain them.
 * Other strings are searched by memchr.
 */
export function escapeLineSeparators(json: string): string {
  if (!json.includes(LINE_SEPARATOR) && !json.includes(PARAGRAPH_SEPARATOR)) return json;
  return json.replaceAll(LINE_SEPARATOR, '\\u2028').replaceAll(PARAGRAPH_SEPARATOR, '\\u2029');
}
