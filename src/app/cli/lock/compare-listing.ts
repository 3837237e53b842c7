// A listing of a server compared with its part of the lock, and with another listing.

import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { sameJson } from '../../../base/same-json.ts';
import { definitionHash, textHash } from '../../../config/lock/definition-hash.ts';
import type { LockedDefinition, LockedPackage, LockedServer } from '../../../config/lock/locked-server.ts';
import { masked, parseMask } from '../../../config/lock/masks.ts';
import { type LockedList, listNames, lockedLists } from '../../../config/lock/server-lock.ts';
import { type ClassifiedChange, classifiedChanges } from '../../../mcp/classified-change.ts';
import type { Definitions } from '../../../mcp/definition-change.ts';
import type { Listing } from './listing.ts';

export type LockedParts = Pick<LockedServer, 'instructions' | 'lists' | 'contents'>;

export function lockedParts({ instructions, lists, contents }: Listing, masks: readonly string[]): LockedParts {
  const parsed = masks.flatMap((text) => parseMask(text) ?? []);
  const ofList = (list: LockedList): LockedDefinition[] =>
    lists[list].map((entry) => {
      const name = String(entry[lockedLists[list]]);
      const paths = parsed.filter((mask) => mask.list === list).map(({ path }) => path);
      const definition = { ...(masked(entry, name, paths) as JsonObject) };
      return { name, hash: definitionHash(definition), definition };
    });
  return {
    instructions: instructions === undefined ? null : { hash: textHash(instructions), text: instructions },
    lists: Object.fromEntries(listNames.map((list) => [list, ofList(list)])) as LockedServer['lists'],
    contents,
  };
}

const nothing: LockedParts = {
  instructions: null,
  lists: { tools: [], prompts: [], resourceTemplates: [], skills: [] },
  contents: {},
};

/** Changes since the approval. Without an approval, everything was added. */
export function changesSince(before: LockedParts | undefined, after: LockedParts): ClassifiedChange[] {
  const [old, now] = [before ?? nothing, after];
  const skills = classifiedChanges({ resources: entries(old, 'skills') }, { resources: entries(now, 'skills') });
  return [
    ...classifiedChanges(definitionsOf(old), definitionsOf(now)),
    ...skills.map((change) => ({ ...change, what: 'skill' })),
    ...contentChanges(old.contents, now.contents),
  ];
}

function definitionsOf(parts: LockedParts): Definitions {
  return {
    tools: entries(parts, 'tools'),
    prompts: entries(parts, 'prompts'),
    resourceTemplates: entries(parts, 'resourceTemplates'),
    instructions: parts.instructions?.text,
  };
}

function entries({ lists }: LockedParts, list: LockedList): JsonObject[] {
  return lists[list].map(({ definition }) => definition);
}

function contentChanges(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): ClassifiedChange[] {
  const change = (name: string, kind: ClassifiedChange['class'], text: string) => ({
    what: 'content',
    name,
    class: kind,
    path: '',
    text,
  });
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((uri) => {
    if (before[uri] === after[uri]) return [];
    if (before[uri] === undefined) return [change(uri, 'added', 'was added')];
    if (after[uri] === undefined) return [change(uri, 'removed', 'was removed')];
    return [change(uri, 'other', 'has another content')];
  });
}

/** A change of the package that runs as the server. A part that is not known cannot differ. */
export function packageChange(before: LockedPackage | undefined, after: LockedPackage | undefined): ClassifiedChange[] {
  const keys = ['registry', 'name', 'version', 'integrity'] as const;
  return keys.flatMap((key) => {
    const [old, now] = [before?.[key], after?.[key]];
    if (old === undefined || now === undefined || old === now) return [];
    return [
      { what: 'package', name: after!.name, class: 'other' as const, path: key, text: `is ${now} instead of ${old}` },
    ];
  });
}

/** The only parts of definitions that another listing had, with masks that would leave them out. */
export interface Volatile {
  /** Masks for the parts that differ. Empty for the others. */
  masks: string[];
  /** What differs and cannot be masked: names, instructions, contents. */
  others: string[];
}

const MOST_MASKS = 20;

export function volatileParts(one: LockedParts, other: LockedParts): Volatile {
  const found: Volatile = { masks: [], others: [] };
  for (const list of listNames) {
    const [old, now] = [byName(one.lists[list]), byName(other.lists[list])];
    for (const name of new Set([...old.keys(), ...now.keys()])) {
      const [before, after] = [old.get(name), now.get(name)];
      if (!before || !after) found.others.push(`${list}: ${name} is not always listed`);
      else
        for (const path of differences(before, after, []))
          found.masks.push(`/${[list, name, ...path].map(escaped).join('/')}`);
    }
  }
  if (one.instructions?.hash !== other.instructions?.hash) found.others.push('instructions');
  for (const { name } of contentChanges(one.contents, other.contents)) found.others.push(name);
  return { masks: found.masks.slice(0, MOST_MASKS), others: found.others.slice(0, MOST_MASKS) };
}

function byName(definitions: readonly LockedDefinition[]): Map<string, JsonObject> {
  return new Map(definitions.map(({ name, definition }) => [name, definition]));
}

function escaped(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}

function differences(one: unknown, other: unknown, path: readonly string[]): string[][] {
  if (sameJson(one, other)) return [];
  if (!isObject(one) || !isObject(other)) return [[...path]];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((name) =>
    differences(one[name], other[name], [...path, name]),
  );
}
