// The part of a lock for one server. It is sound if each hash is that of its definition.

import { isObject, type JsonObject } from '../../base/json-object.ts';
import { definitionHash, setHashOf, textHash } from './definition-hash.ts';
import { MOST_MASKS, parseMask } from './masks.ts';
import { type LockedList, listNames, lockedLists } from './server-lock.ts';

export interface LockedDefinition {
  name: string;
  hash: string;
  /** The definition without its masked parts. */
  definition: JsonObject;
}

export interface LockedServer {
  approved: { at: string; by: string };
  /** The command with its arguments, or the address, without secrets. */
  command?: string[];
  url?: string;
  package?: LockedPackage;
  server?: { name: string; version: string };
  masks?: string[];
  instructions: { hash: string; text: string } | null;
  lists: Record<LockedList, LockedDefinition[]>;
  /** Hashes of what a model or a person gets from resources: views of MCP Apps, and SKILL.md files. */
  contents: Record<string, string>;
}

/** An npm or Python package that runs as the server. `unknown`: the reason why a member could not be determined on this machine. */
export interface LockedPackage {
  registry: 'npm' | 'pypi';
  name: string;
  version?: string;
  integrity?: string;
  unknown?: string;
}

/** The part of one server, or why it cannot be used. */
export function readLockedServer(part: unknown): LockedServer | string {
  if (!isObject(part)) return 'it is not an object';
  const { approved, instructions, masks = [], contents = {} } = part;
  if (!isObject(approved) || !areTexts([approved.at, approved.by])) return '"approved" has no "at" and "by"';
  if (
    !Array.isArray(masks) ||
    masks.length > MOST_MASKS ||
    !masks.every((mask) => typeof mask === 'string' && parseMask(mask))
  )
    return `"masks" is not a list of at most ${MOST_MASKS} paths such as "/tools/search/description"`;
  if (instructions !== null && !isSoundText(instructions))
    return 'the hash of "instructions" is not that of their text';
  if (!isObject(contents) || !areTexts(Object.values(contents))) return '"contents" is not an object with hashes';
  const lists = {} as LockedServer['lists'];
  for (const list of listNames) {
    const read = readList(part[list], lockedLists[list]);
    if (typeof read === 'string') return `${read} in "${list}"`;
    lists[list] = read;
  }
  return {
    approved: { at: approved.at as string, by: approved.by as string },
    ...(Array.isArray(part.command) && areTexts(part.command) && { command: part.command as string[] }),
    ...(typeof part.url === 'string' && { url: part.url }),
    ...(isPackage(part.package) && { package: part.package }),
    ...(isObject(part.server) && { server: { name: String(part.server.name), version: String(part.server.version) } }),
    masks: masks as string[],
    instructions: instructions as LockedServer['instructions'],
    lists,
    contents: contents as Record<string, string>,
  };
}

function readList(part: unknown, nameKey: string): LockedDefinition[] | string {
  if (!isObject(part) || !Array.isArray(part.entries)) return 'there is no list "entries"';
  const entries: LockedDefinition[] = [];
  for (const entry of part.entries) {
    const { hash, definition } = isObject(entry) ? entry : {};
    const name = isObject(definition) ? definition[nameKey] : undefined;
    if (typeof name !== 'string') return `an entry has no "${nameKey}"`;
    if (hashOf(definition) !== hash) return `the hash of ${JSON.stringify(name)} is not that of its definition`;
    entries.push({ name, hash: hash as string, definition: definition as JsonObject });
  }
  if (setHashOf(entries) !== part.hash)
    return 'the hash of the list is not that of its entries: one was added or removed';
  return entries;
}

/** Undefined for a definition that is nested too deeply. */
function hashOf(definition: unknown): string | undefined {
  try {
    return definitionHash(definition);
  } catch {
    return undefined; // Standpipe never writes such a definition
  }
}

function isSoundText(value: unknown): boolean {
  return isObject(value) && typeof value.text === 'string' && textHash(value.text) === value.hash;
}

function areTexts(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string');
}

function isPackage(value: unknown): value is LockedPackage {
  return isObject(value) && areTexts([value.registry, value.name]);
}
