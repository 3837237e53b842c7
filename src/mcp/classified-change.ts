// Changes of definitions, each with a class that a person can judge: whether a description gives a new instruction, whether a tool takes more
// or less than before, and whether an annotation promises less.

import { isObject } from '../base/json-object.ts';
import { sameJson } from '../base/same-json.ts';
import { type DefinitionChange, type Definitions, definitionChanges } from './definition-change.ts';
import { type ListName, listMethods } from './methods.ts';
import type { SchemaChange } from './schema-change.ts';

export const changeClasses = [
  'added',
  'removed',
  'new instruction',
  'wording',
  'wider input',
  'narrower input',
  'annotation weakened',
  'annotation',
  'output',
  'other',
] as const;
export type ChangeClass = (typeof changeClasses)[number];

export interface ClassifiedChange {
  /** `tool`, `prompt`, `resource template`, or `server` for its instructions. */
  readonly what: string;
  /** Empty for the server. */
  readonly name: string;
  readonly class: ChangeClass;
  /** Where in the definition: `inputSchema.city`. Empty for the definition itself. */
  readonly path: string;
  /** The change as a sentence without its subject. It quotes both versions, so it is for people only. */
  readonly text: string;
}

/** Words of sentences that tell a reader to do something, or to do it differently. */
const DIRECTS =
  /\b(?:always|never|must|should|shall|do not|don't|before|instead|first|ensure|make sure|ignore|override|disregard|important|required|please|you|your)\b/i;
/** Verbs at the start of a sentence that is addressed to the reader: "Read the file", not "Reads a file". */
const COMMANDS =
  /^(?:add|append|attach|call|copy|execute|fetch|forward|hide|include|invoke|mention|pass|put|read|run|send|set|tell|use|write)\b/i;
/** Shorter texts are titles and names. */
const FEWEST_WORDS = 3;
const DEEPEST = 64;

export function classifiedChanges(before: Definitions, after: Definitions): ClassifiedChange[] {
  const found = definitionChanges(before, after).flatMap((change) => classified(change, before, after));
  return [...found, ...unexplained(before, after, found)];
}

function classified(
  { what, name, kind, changes }: DefinitionChange,
  before: Definitions,
  after: Definitions,
): ClassifiedChange[] {
  if (kind === 'added') return [{ what, name, class: 'added', path: '', text: 'was added' }];
  if (kind === 'removed') return [{ what, name, class: 'removed', path: '', text: 'was removed' }];
  const [old, now] =
    what === 'server'
      ? [before.instructions, after.instructions]
      : [entry(before, what, name), entry(after, what, name)];
  const instructs = hasNewInstruction(old, now, what === 'server');
  return changes.map((change) => ({
    what,
    name,
    class: classOf(change, instructs),
    path: change.path,
    text: change.text,
  }));
}

function classOf({ path, effect, text }: SchemaChange, instructs: boolean): ChangeClass {
  if (path.startsWith('annotations.')) return effect === 'breaking' ? 'annotation weakened' : 'annotation';
  if (effect === 'wording') return instructs ? 'new instruction' : 'wording';
  if (path.startsWith('outputSchema')) return 'output';
  if (!path.startsWith('inputSchema') && !path.startsWith('arguments')) return 'other';
  if (/^has (?:a new|another|no) default/.test(text)) return 'other';
  return effect === 'breaking' ? 'narrower input' : 'wider input';
}

/** Whether a sentence directs the reader and is not in the earlier version. `isDirective`: every sentence does. */
function hasNewInstruction(before: unknown, after: unknown, isDirective: boolean): boolean {
  const known = new Set(sentences(before));
  const directs = (sentence: string) =>
    sentence.split(/\s+/).length >= FEWEST_WORDS && (DIRECTS.test(sentence) || COMMANDS.test(sentence));
  return sentences(after).some((sentence) => !known.has(sentence) && (isDirective || directs(sentence)));
}

function sentences(value: unknown, level = 0): string[] {
  if (typeof value === 'string')
    return value
      .split(/(?<=[.!?;:])\s+|\n+/)
      .map((sentence) => sentence.trim())
      .filter((sentence) => sentence !== '');
  if (level > DEEPEST || typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((each) => sentences(each, level + 1));
}

/** Definitions whose text differs although their meaning does not, such as the order of `required`, and names that are listed twice. */
function unexplained(before: Definitions, after: Definitions, found: readonly ClassifiedChange[]): ClassifiedChange[] {
  return (Object.keys(listMethods) as ListName[]).flatMap((list) => {
    const { what } = listMethods[list];
    return names(before, list).flatMap((name) => {
      if (found.some((change) => change.what === what && change.name === name)) return [];
      const [old, now] = [all(before, list, name), all(after, list, name)];
      if (
        !after[list] ||
        (old.length === now.length && old.every((each) => now.some((other) => sameJson(each, other))))
      )
        return [];
      return [{ what, name, class: 'other' as const, path: '', text: 'differs in a way that changes no valid value' }];
    });
  });
}

function names(definitions: Definitions, list: ListName): string[] {
  const { nameKey } = listMethods[list];
  const found = (definitions[list] ?? []).map((each) => (isObject(each) ? each[nameKey] : undefined));
  return [...new Set(found.filter((name) => typeof name === 'string'))];
}

function all(definitions: Definitions, list: ListName, name: string): unknown[] {
  const { nameKey } = listMethods[list];
  return (definitions[list] ?? []).filter((each) => isObject(each) && each[nameKey] === name);
}

function entry(definitions: Definitions, what: string, name: string): unknown {
  const list = (Object.keys(listMethods) as ListName[]).find((each) => listMethods[each].what === what);
  return list && all(definitions, list, name).at(-1);
}
