// The text of a member of a JSON object as it was written, with its digits, escapes and repeated keys.

import { endOfString } from '../../base/top-level-json.ts';

const QUOTE = 0x22;

/** `json` must be valid, and the member an object, an array or a string of the outermost object. The last member of the name counts. */
export function memberText(json: string, name: string): string | undefined {
  const key = JSON.stringify(name);
  let depth = 0;
  let from = -1;
  let found: string | undefined;
  for (let at = json.indexOf('{'); at >= 0 && at < json.length; ) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(json, at);
      if (end < 0) return found;
      if (depth === 1 && from < 0 && json.slice(at, end) === key && json.slice(end).trimStart().startsWith(':')) {
        from = json.indexOf(':', end) + 1;
      }
      at = end;
      continue;
    }
    const isEnd = code === 0x7d || code === 0x5d;
    if (code === 0x7b || code === 0x5b) depth++;
    if (isEnd) depth--;
    const isOver = (isEnd && depth === 1) || (code === 0x2c && depth === 1) || depth === 0;
    if (from >= 0 && isOver) {
      found = json.slice(from, isEnd && depth === 1 ? at + 1 : at).trim();
      from = -1;
    }
    if (depth === 0) break;
    at++;
  }
  return found;
}
