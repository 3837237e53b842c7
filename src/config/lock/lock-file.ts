// mcp-lock.json: the definitions of servers that a person has approved, with their hashes. The file is data of its owner, and may have been
// edited, cut or merged: a server whose part is not sound has nothing approved.

import { toError, UsageError } from '../../base/errors.ts';
import { isObject, type JsonObject, setOwn } from '../../base/json-object.ts';
import { ownCommand } from '../../base/own-command.ts';
import { definitionHash, setHashOf, textHash } from './definition-hash.ts';
import { MOST_MASKS, parseMask } from './masks.ts';
import { type LockedList, listNames, lockedLists } from './server-lock.ts';

export const LOCK_VERSION = 1;
/** The lock of a server with 500 tools has about 1 MB. */
export const MOST_LOCK_BYTES = 64 * 1024 * 1024;
const MOST_SERVERS = 10_000;

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

export interface Lock {
  file: string;
  servers: ReadonlyMap<string, LockedServer>;
  /** Servers whose part cannot be used, with the reason. */
  unsound: ReadonlyMap<string, string>;
}

export function lockInvalid(file: string, why: string, cause?: unknown): UsageError {
  return new UsageError('LOCK_INVALID', `${file} cannot be used: ${why}`, {
    hint: `Restore the file, or approve the definitions again: \`${ownCommand} lock\`.`,
    cause,
  });
}

/** Throws LOCK_INVALID if the text is not a lock. Parts of single servers that are not sound are in `unsound`. */
export function parseLock(text: string, file: string): Lock {
  if (text.length > MOST_LOCK_BYTES) throw lockInvalid(file, `it has more than ${MOST_LOCK_BYTES} characters`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw lockInvalid(file, `it is not JSON (${toError(cause).message})`, cause);
  }
  if (!isObject(value) || !isObject(value.servers)) throw lockInvalid(file, 'it has no "servers"');
  if (value.version !== LOCK_VERSION)
    throw lockInvalid(file, `its version is not ${LOCK_VERSION}: another release of Standpipe may have written it`);
  const entries = Object.entries(value.servers);
  if (entries.length > MOST_SERVERS) throw lockInvalid(file, `it has more than ${MOST_SERVERS} servers`);
  const servers = new Map<string, LockedServer>();
  const unsound = new Map<string, string>();
  for (const [name, part] of entries) {
    const read = readServer(part);
    if (typeof read === 'string') unsound.set(name, read);
    else servers.set(name, read);
  }
  return { file, servers, unsound };
}

/** The part of one server, or why it cannot be used. */
function readServer(part: unknown): LockedServer | string {
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

/** The text of the file: servers and entries in the order of their names, so that two versions can be compared line by line. */
export function lockText(servers: ReadonlyMap<string, LockedServer>): string {
  const written: Record<string, object> = {};
  for (const name of [...servers.keys()].sort()) setOwn(written, name, serverPart(servers.get(name)!));
  return `${JSON.stringify({ version: LOCK_VERSION, servers: written }, null, 2)}\n`;
}

function serverPart({ lists, contents, masks = [], ...facts }: LockedServer): object {
  const parts = listNames.map((list) => {
    const entries = [...lists[list]].sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
    return [list, { hash: setHashOf(entries), entries: entries.map(({ hash, definition }) => ({ hash, definition })) }];
  });
  const sorted = Object.fromEntries(Object.entries(contents).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...facts, ...(masks.length > 0 && { masks }), ...Object.fromEntries(parts), contents: sorted };
}
