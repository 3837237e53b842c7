// A limit of nesting for texts whose parser calls itself for each level: without stack for a regular expression, V8 ends the process
// instead of throwing. Only an estimate, with room: brackets in strings and comments count too.

export const TOO_DEEP = 'Not a config: it is nested too deeply';

const MOST_LEVELS = 500;
/** Parts of one dotted key of TOML, which take quadratic memory. */
const MOST_PARTS = 1000;

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

/** A level of a YAML block takes a column at least, or a marker on the same line: `- - - x`. */
function indentsTooFar(text: string): boolean {
  return text.split(/[\r\n]/).some((line) => (/[^ \t?:-]/.exec(line)?.index ?? line.length) > MOST_LEVELS);
}

function hasLongKey(text: string): boolean {
  return text.split(/[=\r\n]/).some((part) => part.length > MOST_PARTS && part.split('.').length > MOST_PARTS);
}
