// Parses JSON of a program under test. Values nested deeper than rules can handle are cut, so that depth cannot end the check.

import { isObject, type JsonObject, setOwn } from '../base/json-object.ts';
import { isNestedTooDeeply, MAX_NESTING } from '../base/to-json.ts';

/** Returns undefined for text that is not JSON. Values below the limit of nesting are null. */
export function parsed(text: string): unknown {
  if (!/^\s*[-[{"\dtfn]/.test(text)) return undefined; // this is much faster than an exception: stray output may have many lines
  const value = whole(text);
  return text.length > 2 * MAX_NESTING && isNestedTooDeeply(value) ? cut(value, MAX_NESTING) : value;
}

/** The objects in lines that are JSON, including those of batches. The lines are our own, so nesting is not limited. */
export function objectsIn(lines: string): JsonObject[] {
  return lines.split('\n').flatMap((line) => [whole(line)].flat().filter(isObject));
}

/** Returns undefined for text that is not JSON. */
export function whole(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function cut(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((each) => cut(each, levels - 1));
  const kept: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(value)) setOwn(kept, name, cut(each, levels - 1));
  return kept;
}
