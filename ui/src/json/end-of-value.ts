// Where a JSON value ends in a text that may be cut off: behind its last character, or undefined where the text ends first.

const piece = /"(?:[^"\\]|\\.)*"|[[\]{}]|[^"[\]{},]+|,/y;

export function endOfValue(text: string, from: number): number | undefined {
  let depth = 0;
  piece.lastIndex = from;
  for (let found = piece.exec(text); found; found = piece.exec(text)) {
    const [word] = found;
    const start = found.index;
    if (word === '{' || word === '[') depth++;
    else if (word === '}' || word === ']') depth--;
    else if (word === ',' && depth === 0) return start;
    if (depth < 0) return start; // a bare word before the end of what holds it
    if (depth === 0 && /["\]}]$/.test(word)) return piece.lastIndex;
  }
  return undefined;
}
