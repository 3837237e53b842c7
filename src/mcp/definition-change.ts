// Compares the definitions of a server with earlier ones: tools, resources, resource templates, prompts and instructions. Each change is
// classified by its effect on programs that use the earlier definitions.

import { canonicalJson } from '../base/canonical-json.ts';
import { isObject, type JsonObject } from '../base/json-object.ts';
import { type ListName, listMethods } from './methods.ts';
import { type SchemaChange, schemaChanges } from './schema-change.ts';

export interface DefinitionChange {
  /** `tool`, `resource`, `resource template`, `prompt`, or `server` for its instructions, info and capabilities. */
  readonly what: string;
  /** Empty for the server. */
  readonly name: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** Empty unless `kind` is `changed`. */
  readonly changes: readonly SchemaChange[];
}

/** Entries of each list, in the form of `tools/list` and the other list methods. An absent list was not read, and is not compared. */
export type Definitions = Partial<Record<ListName, readonly unknown[]>> & {
  readonly info?: unknown;
  readonly capabilities?: unknown;
  readonly instructions?: string | undefined;
};

const wordings = new Set(['title', 'description', 'icons', '_meta']);
/** Annotations that permit a client to do more, such as calling a tool without asking. Their loss is breaking. */
const permissions: Readonly<Record<string, boolean>> = {
  readOnlyHint: true,
  idempotentHint: true,
  destructiveHint: false,
  openWorldHint: false,
};

export function definitionChanges(before: Definitions, after: Definitions): DefinitionChange[] {
  const lists = Object.keys(listMethods) as ListName[];
  const found = lists.flatMap((list) => {
    const [old, now] = [before[list], after[list]];
    return old && now ? listChanges(list, old, now) : [];
  });
  const ofServer = members({ ...partOf(before) }, { ...partOf(after) });
  return ofServer.length > 0 ? [{ what: 'server', name: '', kind: 'changed', changes: ofServer }, ...found] : found;
}

function partOf({ info, capabilities, instructions }: Definitions): JsonObject {
  return { info, capabilities, instructions };
}

function listChanges(list: ListName, before: readonly unknown[], after: readonly unknown[]): DefinitionChange[] {
  const { what, nameKey } = listMethods[list];
  const [old, now] = [byName(before, nameKey), byName(after, nameKey)];
  const changed: DefinitionChange[] = [];
  for (const [name, entry] of old) {
    const next = now.get(name);
    if (!next) changed.push({ what, name, kind: 'removed', changes: [] });
    else {
      const changes = members(entry, next);
      if (changes.length > 0) changed.push({ what, name, kind: 'changed', changes });
    }
  }
  for (const name of now.keys()) if (!old.has(name)) changed.push({ what, name, kind: 'added', changes: [] });
  return changed;
}

/** A server may list anything: entries without a name are left out. */
function byName(entries: readonly unknown[], nameKey: string): Map<string, JsonObject> {
  return new Map(
    entries.flatMap((entry) => {
      const name = isObject(entry) ? entry[nameKey] : undefined;
      return typeof name === 'string' ? [[name, entry as JsonObject] as const] : [];
    }),
  );
}

function members(before: JsonObject, after: JsonObject): SchemaChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => member(name, before[name], after[name]));
}

function member(name: string, before: unknown, after: unknown): SchemaChange[] {
  if (name === 'inputSchema') return inside(name, schemaChanges(before, after, 'input'));
  if (name === 'outputSchema') return outputChanges(before, after);
  if (name === 'annotations') return annotationChanges(before, after);
  if (name === 'arguments') return argumentChanges(before, after);
  if (canonicalJson(before ?? null) === canonicalJson(after ?? null)) return [];
  const effect = wordings.has(name) || name === 'info' || name === 'instructions' ? 'wording' : 'compatible';
  const lost = name === 'capabilities' ? lostMembers(before, after) : [];
  if (lost.length > 0) return [{ path: name, effect: 'breaking', text: `lacks ${lost.join(', ')} now` }];
  return [{ path: name, effect, text: changeText(before, after) }];
}

/** Without an output schema, a client cannot rely on structured content. */
function outputChanges(before: unknown, after: unknown): SchemaChange[] {
  if (before === undefined && after === undefined) return [];
  if (after === undefined) return [{ path: 'outputSchema', effect: 'breaking', text: 'was removed' }];
  if (before === undefined) return [{ path: 'outputSchema', effect: 'compatible', text: 'was added' }];
  return inside('outputSchema', schemaChanges(before, after, 'output'));
}

function annotationChanges(before: unknown, after: unknown): SchemaChange[] {
  const [old, now] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((name): SchemaChange[] => {
    if (canonicalJson(old[name] ?? null) === canonicalJson(now[name] ?? null)) return [];
    const isLost = Object.hasOwn(permissions, name) && old[name] === permissions[name];
    const effect = name === 'title' ? 'wording' : isLost ? 'breaking' : 'compatible';
    return [{ path: `annotations.${name}`, effect, text: changeText(old[name], now[name]) }];
  });
}

/** The arguments of a prompt. */
function argumentChanges(before: unknown, after: unknown): SchemaChange[] {
  const schemaOf = (list: unknown) => {
    const all = Array.isArray(list) ? list.filter((each) => isObject(each) && typeof each.name === 'string') : [];
    return {
      properties: Object.fromEntries(all.map(({ name, required, ...rest }) => [name, rest])),
      required: all.filter(({ required }) => required === true).map(({ name }) => name),
    };
  };
  return inside('arguments', schemaChanges(schemaOf(before), schemaOf(after), 'input'));
}

function lostMembers(before: unknown, after: unknown): string[] {
  if (!isObject(before)) return [];
  const now = isObject(after) ? after : {};
  return Object.keys(before).filter((name) => now[name] === undefined);
}

function inside(path: string, changes: readonly SchemaChange[]): SchemaChange[] {
  return changes.map((change) => ({ ...change, path: change.path === '' ? path : `${path}.${change.path}` }));
}

const LONGEST_VALUE = 120;

function changeText(before: unknown, after: unknown): string {
  if (before === undefined) return `is new: ${shown(after)}`;
  if (after === undefined) return `was removed: ${shown(before)}`;
  return `is ${shown(after)} instead of ${shown(before)}`;
}

function shown(value: unknown): string {
  const text = canonicalJson(value ?? null);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
