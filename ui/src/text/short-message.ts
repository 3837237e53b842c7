// Shortens a message to one line without the members that other columns show.

const envelope = new Set(['jsonrpc', 'id', 'method']);
const contents = new Set(['params', 'result', 'error']);
const nameOfMember = /[\s,]*"((?:[^"\\]|\\.)*)"\s*:\s*/y;

/** The summary may be cut off anywhere, with or without white space. */
export function shortMessage(summary: string): string {
  if (!/^\{\s*["}]/.test(summary)) return summary;
  const members: { name: string; value: string; text: string }[] = [];
  let at = 1;
  for (;;) {
    nameOfMember.lastIndex = at;
    const found = nameOfMember.exec(summary);
    if (!found) break;
    const from = nameOfMember.lastIndex;
    const end = endOfValue(summary, from);
    const value = summary.slice(from, end) + (end === undefined ? '…' : '');
    members.push({ name: found[1]!, value, text: `"${found[1]}": ${value}` });
    if (end === undefined) break;
    at = end;
  }
  const lite = members.some(({ name }) => name === 'version') ? members.find(({ name }) => name === 'data') : undefined;
  if (lite) return lite.value;
  const told = members.filter(({ name }) => !envelope.has(name));
  if (told.length === 1 && contents.has(told[0]!.name)) return told[0]!.value;
  return told.map(({ text }) => text).join(', ');
}

const piece = /"(?:[^"\\]|\\.)*"|[[\]{}]|[^"[\]{},]+|,/y;

/** The index after a JSON value, or undefined if the text ends first. */
function endOfValue(text: string, from: number): number | undefined {
  let depth = 0;
  piece.lastIndex = from;
  for (let found = piece.exec(text); found; found = piece.exec(text)) {
    const [word] = found;
    const start = found.index;
    if (word === '{' || word === '[') depth++;
    else if (word === '}' || word === ']') depth--;
    else if (word === ',' && depth === 0) return start;
    if (depth < 0) return start; // the enclosing object or array ends
    if (depth === 0 && /["\]}]$/.test(word)) return piece.lastIndex;
  }
  return undefined;
}
