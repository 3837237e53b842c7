// Finds JSON objects inside other text: in the reply of a model, or in the output of a server. An object is found where the
// braces are balanced and the text parses; the search continues after it. The work is bounded for any text: of a million nested
// braces, not all are tried.

import { endOfString } from './top-level-json.ts';

const OPEN = 0x7b;
const CLOSE = 0x7d;
const QUOTE = 0x22;
const WORK_PER_TEXT = 1_000_000;
const WORK_PER_CHARACTER = 4;

export interface FoundObject {
  value: Record<string, unknown>;
  start: number;
  /** The index after the closing brace. */
  end: number;
}

export function* jsonObjects(text: string): Generator<FoundObject> {
  let work = WORK_PER_TEXT + text.length * WORK_PER_CHARACTER;
  let start = text.indexOf('{');
  while (start >= 0 && work > 0) {
    const end = endOfObject(text, start, start + work);
    work -= (end < 0 ? Math.min(text.length, start + work) : end) - start;
    const value = end < 0 ? undefined : parseObject(text.slice(start, end));
    if (value) yield { value, start, end };
    start = text.indexOf('{', value ? end : start + 1);
  }
}

/** The index after the brace that closes the one at `start`, or −1. */
function endOfObject(text: string, start: number, limit: number): number {
  let depth = 0;
  for (let at = start; at < text.length && at < limit; at++) {
    const code = text.charCodeAt(at);
    if (code === OPEN) depth++;
    else if (code === CLOSE && --depth === 0) return at + 1;
    else if (code === QUOTE) {
      const end = endOfString(text, at);
      if (end < 0) return -1;
      at = end - 1;
    }
  }
  return -1;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined; // braces in prose
  }
}
