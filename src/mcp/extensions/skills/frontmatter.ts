// The YAML at the start of a SKILL.md, compared with the entry of the skill: "Any discrepancy MUST be treated as a verification failure".

import type { Document } from 'yaml';
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { orderedJson } from '../../../base/ordered-json.ts';
import { nestsTooDeeply } from '../../../base/text-nesting.ts';
import type { Skill } from './skill.ts';

/** Longer frontmatter is not parsed: the time of the parser can grow with the square of the length, and blocks the process. */
const MOST_CHARS = 8 * 1024;

export const TOO_LARGE = 'has frontmatter that is too large to be compared';

const OTHER_KEY = 'has frontmatter with a key that is a list, an object or an alias, which JSON cannot have';

/** Editors on Windows may write a byte order mark. */
export function frontmatterText(file: string): string | undefined {
  return /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(file)?.[1];
}

/**
 * Parsers mix the schemas of YAML 1.1, which has dates and reads `yes` as true, and 1.2. The failsafe schema has only texts. Merge keys are
 * part of neither version, but of most parsers.
 */
const resolutions = [true, false].flatMap((merge) =>
  (['core', 'yaml-1.1', 'failsafe'] as const).map((schema) => ({
    schema,
    merge,
    logLevel: 'error' as const, // warnings contain text of the file, and would reach the terminal as it is
    prettyErrors: false,
  })),
);

/**
 * Describes the problem as the rest of a sentence about the file. Undefined if its frontmatter has the same content as
 * that of the entry.
 */
export async function frontmatterProblem(bytes: Uint8Array, { frontmatter }: Skill): Promise<string | undefined> {
  const text = frontmatterText(new TextDecoder().decode(bytes));
  if (text === undefined) return 'does not begin with YAML frontmatter';
  if (text.length > MOST_CHARS || nestsTooDeeply(text)) return TOO_LARGE;
  const yaml = await import('yaml');
  const found: unknown[] = [];
  let shown: string | undefined;
  const hasMerge = text.includes('<<');
  for (const options of resolutions) {
    if (options.merge && !hasMerge) continue;
    try {
      const document = yaml.parseDocument(text, options);
      if (document.errors.length > 0) continue;
      if (hasOtherKey(document, yaml)) return OTHER_KEY;
      const value: unknown = document.toJS();
      shown ??= orderedJson(value);
      found.push(value);
    } catch {
      // the text is not valid in this schema
    }
  }
  if (shown === undefined) return 'has frontmatter that is not valid YAML';
  return isAnyOf(found, frontmatter)
    ? undefined
    : `has the frontmatter ${shown}, and the entry ${orderedJson(frontmatter)}`;
}

function hasOtherKey(document: Document, { isScalar, visit }: typeof import('yaml')): boolean {
  let isFound = false;
  visit(document, {
    Pair: (_, { key }) => {
      isFound = !isScalar(key);
      return isFound ? visit.BREAK : undefined;
    },
  });
  return isFound;
}

/** Whether each scalar of the entry has one of the values that the schemas give it. */
function isAnyOf(found: readonly unknown[], entry: unknown): boolean {
  if (Array.isArray(entry)) {
    const lists = found.filter((each): each is unknown[] => Array.isArray(each) && each.length === entry.length);
    const at = (index: number) => lists.map((list) => list[index]);
    return lists.length > 0 && entry.every((each, index) => isAnyOf(at(index), each));
  }
  if (!isObject(entry)) return found.some((each) => isSame(each, entry));
  const names = Object.keys(entry);
  const hasNames = (each: JsonObject) =>
    Object.keys(each).length === names.length && names.every((name) => Object.hasOwn(each, name));
  const maps = found.filter((each): each is JsonObject => isObject(each) && hasNames(each));
  const at = (name: string) => maps.map(({ [name]: value }) => value);
  return maps.length > 0 && names.every((name) => isAnyOf(at(name), entry[name]));
}

function isSame(found: unknown, scalar: unknown): boolean {
  if (found instanceof Date) return typeof scalar === 'string' && timeOf(scalar) === found.getTime();
  return typeof found !== 'object' || found === null ? JSON.stringify(found) === JSON.stringify(scalar) : false;
}

/** ISO 8601. Times without a zone are in UTC, as in YAML. */
function timeOf(text: string): number {
  const isLocal = /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(text);
  return Date.parse(isLocal ? `${text}Z` : text);
}
