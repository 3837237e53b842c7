// The part of the lock that a host needs for one server: the hashes of the approved definitions, and the action for all other
// definitions. Plain data,
// part of the
// settings of the server: a fleet passes it to its nodes.

import { toError } from '../../base/errors.ts';
import { isObject, setOwn } from '../../base/json-object.ts';
import type { ServerConfig } from '../server-config.ts';
import type { Lock } from './lock-file.ts';
import type { LockedServer } from './locked-server.ts';

export const LOCK_FILE = 'mcp-lock.json';

/** The lists of definitions, and the member of an entry that names it. */
export const lockedLists = { tools: 'name', prompts: 'name', resourceTemplates: 'uriTemplate', skills: 'uri' } as const;
export type LockedList = keyof typeof lockedLists;
export const listNames = Object.keys(lockedLists) as LockedList[];

/** The action of a host for definitions that are not approved. */
export const lockModes = ['off', 'warn', 'hide', 'refuse'] as const;
export type LockMode = (typeof lockModes)[number];

export interface ServerLock {
  mode: Exclude<LockMode, 'off'>;
  /** Why nothing is approved. Undefined if the server is in the lock. */
  why?: string;
  masks: readonly string[];
  /** Null if the server had none. */
  instructions: string | null;
  /** Hashes by name. A server may list a name several times. */
  lists: Readonly<Record<LockedList, Readonly<Record<string, readonly string[]>>>>;
  /** Hashes by URI. */
  contents: Readonly<Record<string, string>>;
}

/** The lock beside a config file, or the error of reading it. Undefined if there is none. */
export type FoundLock = Lock | Error | undefined;

/** The settings of a server with its part of the lock. Without a lock, `locked` of the entry applies as if nothing was approved. */
export function lockedConfig<C extends ServerConfig>(config: C, lock: FoundLock): C {
  const own = lockOf(config.name, config.locked, lock);
  return own ? { ...config, lock: own } : config;
}

/** The part of the lock for a server of this name. Undefined if its definitions are not checked. */
export function lockOf(name: string, locked: LockMode | undefined, lock: FoundLock): ServerLock | undefined {
  const mode = locked ?? (lock ? 'hide' : 'off');
  return mode === 'off' ? undefined : serverLock(name, mode, lock);
}

function serverLock(name: string, mode: ServerLock['mode'], lock: FoundLock): ServerLock {
  if (!lock) return nothing(mode, `there is no ${LOCK_FILE} beside the config`);
  if (lock instanceof Error) return nothing(mode, `${LOCK_FILE} cannot be used: ${toError(lock).message}`);
  const server = lock.servers.get(name);
  if (server) return approvedBy(server, mode);
  const unsound = lock.unsound.get(name);
  return nothing(mode, unsound ? `its part of ${LOCK_FILE} cannot be used: ${unsound}` : `it is not in ${LOCK_FILE}`);
}

/** A lock that another program wrote. If it is not sound, nothing is approved. */
export function readServerLock(value: unknown): ServerLock | undefined {
  if (value === undefined) return undefined;
  const { mode, why, masks, instructions, lists, contents } = (isObject(value) ? value : {}) as Partial<ServerLock>;
  const isSound =
    (mode === 'warn' || mode === 'hide' || mode === 'refuse') &&
    (why === undefined || typeof why === 'string') &&
    (instructions === null || typeof instructions === 'string') &&
    Array.isArray(masks) &&
    masks.every((mask) => typeof mask === 'string') &&
    isObject(contents) &&
    isObject(lists) &&
    listNames.every((list) => isObject(lists[list]) && Object.values(lists[list]).every(Array.isArray));
  return isSound ? (value as ServerLock) : nothing('hide', 'its lock in the fleet cannot be used');
}

function nothing(mode: ServerLock['mode'], why: string): ServerLock {
  return { mode, why, masks: [], instructions: null, lists: emptyLists(), contents: {} };
}

function emptyLists(): Record<LockedList, Record<string, string[]>> {
  return Object.fromEntries(listNames.map((list) => [list, {}])) as Record<LockedList, Record<string, string[]>>;
}

export function approvedBy(
  { masks = [], instructions, lists, contents }: LockedServer,
  mode: ServerLock['mode'],
): ServerLock {
  const hashes = emptyLists();
  for (const list of listNames) {
    for (const { name, hash } of lists[list]) {
      const known = Object.hasOwn(hashes[list], name) ? hashes[list][name]! : [];
      setOwn(hashes[list], name, [...known, hash]);
    }
  }
  return { mode, masks, instructions: instructions?.hash ?? null, lists: hashes, contents };
}
