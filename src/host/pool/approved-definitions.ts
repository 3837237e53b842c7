// The definitions of one server that its lock approves. Each definition that is not approved is reported once, without its text.

import { shellWord } from '../../base/command-line.ts';
import { UsageError } from '../../base/errors.ts';
import { firstChars } from '../../base/first-chars.ts';
import { ownCommand } from '../../base/own-command.ts';
import { sameJson } from '../../base/same-json.ts';
import { visibleLine } from '../../base/terminal/visible.ts';
import { definitionHash, textHash } from '../../config/lock/definition-hash.ts';
import { type Mask, masked, parseMask } from '../../config/lock/masks.ts';
import { LOCK_FILE, type LockedList, lockedLists, type ServerLock } from '../../config/lock/server-lock.ts';
import type { ServerConfig } from '../../config/server-config.ts';
import type { Approvals, DefinitionKind } from '../../mcp/layers/locked-definitions.ts';

export interface Unapproved {
  readonly server: string;
  readonly kind: DefinitionKind | 'server';
  /** The name as the server wrote it, at most 100 characters. Empty for the instructions, and for a server that is not in the lock. */
  readonly name: string;
  readonly change: 'added' | 'changed';
  readonly mode: ServerLock['mode'];
  /** A sentence for people, escaped for a terminal. */
  readonly message: string;
}

/** The names of the kinds of definitions in messages. */
const nouns: Readonly<Record<DefinitionKind, string>> = {
  tools: 'tool',
  prompts: 'prompt',
  resourceTemplates: 'resource template',
  skills: 'skill',
  contents: 'content of',
  instructions: 'instructions',
};
const LONGEST_NAME = 100;
/** Changes that are remembered as reported. A server may change its definitions at every listing. */
const MOST_REPORTED = 1_000;

/**
 * Definitions that were found to be approved, by kind and name: an equal definition need not be hashed again. Shared by
 * the processes of a server.
 */
const known = new WeakMap<ServerLock, Map<DefinitionKind, Map<string, unknown>>>();
const masksOf = new WeakMap<ServerLock, ReadonlyMap<string, readonly Mask[]>>();

export class ApprovedDefinitions implements Approvals {
  readonly #server: string;
  readonly #current: () => ServerLock;
  readonly #report: (unapproved: Unapproved) => void;
  readonly #reported = new Set<string>();

  /** `lock` is read for every request, because another one may come into force. */
  constructor(server: string, lock: () => ServerLock, report: (unapproved: Unapproved) => void) {
    this.#server = server;
    this.#current = lock;
    this.#report = report;
  }

  get hides(): boolean {
    return this.#current().mode !== 'warn';
  }

  get version(): unknown {
    return this.#current();
  }

  has(kind: DefinitionKind, name: string): boolean {
    const { lists, contents } = this.#current();
    if (kind === 'instructions') return true;
    return Object.hasOwn(kind === 'contents' ? contents : lists[kind], name);
  }

  check(kind: DefinitionKind, name: string, definition: unknown): boolean {
    const lock = this.#current();
    const before = knownOf(lock, kind);
    const last = before.get(name);
    if (last !== undefined && sameJson(last, definition)) return true;
    const hash = hashOf(lock, kind, name, definition);
    const isApproved = hash !== undefined && approvedHashes(lock, kind, name).includes(hash);
    if (isApproved) before.set(name, definition);
    else this.#unapproved(lock, kind, name, hash ?? '');
    return isApproved;
  }

  refusal(kind: DefinitionKind, name: unknown): UsageError {
    const { why } = this.#current();
    const server = this.#server;
    const what = typeof name === 'string' ? `${nouns[kind]} "${firstChars(name, LONGEST_NAME)}"` : nouns[kind];
    const reason = why === undefined ? 'is not approved, or its definition has changed' : `is not approved: ${why}`;
    return new UsageError('DEFINITION_NOT_APPROVED', `The ${what} of server "${server}" ${reason}`, {
      hint: advice(server, why !== undefined),
    });
  }

  #unapproved(lock: ServerLock, kind: DefinitionKind, name: string, hash: string): void {
    const isAll = lock.why !== undefined;
    const key = isAll ? '' : `${kind}\n${name}\n${hash}`;
    if (this.#reported.has(key) || this.#reported.size >= MOST_REPORTED) return;
    this.#reported.add(key);
    const server = this.#server;
    const change = !isAll && approvedHashes(lock, kind, name).length > 0 ? 'changed' : 'added';
    const shown = firstChars(name, LONGEST_NAME);
    const what = kind === 'instructions' ? 'its instructions' : `the ${nouns[kind]} "${visibleLine(shown)}"`;
    const fact = isAll
      ? `none of its definitions is approved: ${lock.why}`
      : `${what} ${kind === 'instructions' ? 'are' : 'is'} ${change === 'changed' ? 'not as approved' : 'not approved'}`;
    const message = `${fact}${effects[lock.mode]}. ${advice(server, isAll)}`;
    this.#report({ server, kind: isAll ? 'server' : kind, name: isAll ? '' : shown, change, mode: lock.mode, message });
  }
}

function knownOf(lock: ServerLock, kind: DefinitionKind): Map<string, unknown> {
  const kinds = known.get(lock) ?? new Map<DefinitionKind, Map<string, unknown>>();
  known.set(lock, kinds);
  const names = kinds.get(kind) ?? new Map<string, unknown>();
  kinds.set(kind, names);
  return names;
}

const effects = { warn: '', hide: ', and left out', refuse: ', and the server is stopped' } as const;

function advice(server: string, isNew: boolean): string {
  const name = shellWord(server);
  return isNew
    ? `Look at them and approve them with \`${ownCommand} lock ${name}\`.`
    : `\`${ownCommand} lock --diff ${name}\` shows the difference; \`${ownCommand} lock --update ${name}\` approves it.`;
}

function approvedHashes(
  { lists, contents, instructions }: ServerLock,
  kind: DefinitionKind,
  name: string,
): readonly string[] {
  if (kind === 'instructions') return instructions === null ? [] : [instructions];
  if (kind === 'contents') return Object.hasOwn(contents, name) ? [contents[name]!] : [];
  return Object.hasOwn(lists[kind], name) ? lists[kind][name]! : [];
}

/** Undefined if the definition has no canonical form. */
function hashOf(lock: ServerLock, kind: DefinitionKind, name: string, definition: unknown): string | undefined {
  if (kind === 'instructions') return typeof definition === 'string' ? textHash(definition) : undefined;
  try {
    return definitionHash(kind === 'contents' ? definition : masked(definition, name, masksFor(lock, kind)));
  } catch {
    return undefined; // it is nested too deeply
  }
}

function masksFor(lock: ServerLock, kind: LockedList): readonly Mask[] {
  let parsed = masksOf.get(lock);
  if (!parsed) {
    const all = lock.masks.flatMap((text) => parseMask(text) ?? []);
    parsed = new Map(
      Object.keys(lockedLists).map((list) => [list, all.filter((mask) => mask.list === list).map(({ path }) => path)]),
    );
    masksOf.set(lock, parsed);
  }
  return parsed.get(kind) ?? [];
}

export function whyRefused({ lock }: ServerConfig): string {
  return lock?.why ?? `its definitions are not those in ${LOCK_FILE}`;
}

/** The error for a server with `"locked": "refuse"` that is not used. */
export function refusedServer(config: ServerConfig): UsageError {
  const { name, lock } = config;
  return new UsageError('DEFINITION_NOT_APPROVED', `Server "${name}" is not used: ${whyRefused(config)}`, {
    hint: advice(name, lock?.why !== undefined),
  });
}
