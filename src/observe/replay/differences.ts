// Lists where two JSON values differ, by path.

import { canonicalJson } from '../../base/canonical-json.ts';
import { isObject } from '../../base/json-object.ts';

export interface Difference {
  /** A path such as `result.content[0].text`; empty for the value itself. */
  readonly path: string;
  /** The value before; undefined if it is absent. */
  readonly before: unknown;
  readonly after: unknown;
}

const MOST_LEVELS = 64;

/** Returns at most `most` differences, in the order of the members. */
export function differencesOf(before: unknown, after: unknown, most = 1000): Difference[] {
  const found: Difference[] = [];
  const compare = (one: unknown, other: unknown, path: string, level: number) => {
    if (found.length >= most || one === other) return;
    if (level < MOST_LEVELS && isObject(one) && isObject(other)) {
      for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
        compare(own(one, name), own(other, name), path === '' ? name : `${path}.${name}`, level + 1);
      }
    } else if (level < MOST_LEVELS && Array.isArray(one) && Array.isArray(other)) {
      for (let index = 0; index < Math.max(one.length, other.length); index++) {
        compare(one[index], other[index], `${path}[${index}]`, level + 1);
      }
    } else if (one === undefined || other === undefined || canonicalJson(one) !== canonicalJson(other)) {
      found.push({ path, before: one, after: other });
    }
  };
  compare(before, after, '', 0);
  return found;
}

function own(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

const LONGEST_VALUE = 80;

/** Formats a value for a message, in at most 81 characters. */
export function shownValue(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = canonicalJson(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
