// mcp-lock.json: the definitions of servers that a person has approved, with their hashes. The file is data of its owner, and may have been
// edited, cut or merged: a server whose part is not sound has nothing approved.

import { toError, UsageError } from '../../base/errors.ts';
import { isObject, setOwn } from '../../base/json-object.ts';
import { ownCommand } from '../../base/own-command.ts';
import { setHashOf } from './definition-hash.ts';
import { type LockedServer, readLockedServer } from './locked-server.ts';
import { listNames } from './server-lock.ts';

export const LOCK_VERSION = 1;
/** The lock of a server with 500 tools has about 1 MB. */
export const MOST_LOCK_BYTES = 64 * 1024 * 1024;
const MOST_SERVERS = 10_000;

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
    const read = readLockedServer(part);
    if (typeof read === 'string') unsound.set(name, read);
    else servers.set(name, read);
  }
  return { file, servers, unsound };
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
