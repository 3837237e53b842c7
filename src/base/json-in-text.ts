// Finds JSON objects inside other text, such as the reply of a model or the output of a server. A candidate is a span
// with balanced braces that parses; the search continues after it. The work is bounded: not every one of a million
// nested braces is tried. The values of every candidate that is parsed count against one budget.

import { DEFAULT_MAX_FRAME_VALUES, ValueBudget } from './count-json-values.ts';
import { endOfString } from './top-level-json.ts';

const OPEN = 0x7b;
const CLOSE = 0x7d;
const QUOTE = 0x22;
/** Braces followed by anything else are prose. */
const BEGINS_LIKE_JSON = /^\{\s*["}]/;
const WORK_PER_TEXT = 1_000_000;
const WORK_PER_CHARACTER = 4;

export interface FoundObject {
  value: Record<string, unknown>;
  start: number;
  /** The index after the closing brace. */
  end: number;
}

/** The search ends at the first object that exceeds `budget`. `onExcess` gets the index where it starts. */
export function* jsonObjects(
  text: string,
  budget: ValueBudget = new ValueBudget(DEFAULT_MAX_FRAME_VALUES),
  onExcess?: (start: number) => void,
): Generator<FoundObject> {
  let work = WORK_PER_TEXT + text.length * WORK_PER_CHARACTER;
  let start = text.indexOf('{');
  while (start >= 0 && work > 0) {
    const end = endOfObject(text, start, start + work);
    work -= (end < 0 ? Math.min(text.length, start + work) : end) - start;
    const found = end < 0 ? '' : text.slice(start, end);
    const mayParse = BEGINS_LIKE_JSON.test(found);
    if (mayParse && !budget.take(found)) return onExcess?.(start);
    const value = mayParse ? parseObject(found) : undefined;
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
