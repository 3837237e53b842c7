// Nesting of a text in JSON, TOML or YAML, before a parser reads it.

const MOST_LEVELS = 500;
/** Limit for parts of one dotted TOML key, which need quadratic memory. */
const MOST_PARTS = 1000;

/**
 * Limits the nesting for recursive parsers: if the stack is too small for a regular expression, V8 ends the process instead of
 * throwing. The depth is an overestimate: brackets in strings and comments also count.
 */
export function nestsTooDeeply(text: string): boolean {
  return opensTooMany(text) || indentsTooFar(text) || hasLongKey(text);
}

function opensTooMany(text: string): boolean {
  let open = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    if (bracket === '[' || bracket === '{') open += 1;
    else if (open > 0) open -= 1;
    if (open > MOST_LEVELS) return true;
  }
  return false;
}

/** A level of a YAML block takes at least one column, or a marker on the same line: `- - - x`. */
function indentsTooFar(text: string): boolean {
  return text.split(/[\r\n]/).some((line) => (/[^ \t?:-]/.exec(line)?.index ?? line.length) > MOST_LEVELS);
}

function hasLongKey(text: string): boolean {
  return text.split(/[=\r\n]/).some((part) => part.length > MOST_PARTS && part.split('.').length > MOST_PARTS);
}
