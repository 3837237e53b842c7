// A host format defined by a table of keys. Used in both directions: a key renamed on reading gets its old name on writing.

import type { Node } from 'jsonc-parser';
import type { HostFormat, PlainEntry } from '../host-program.ts';
import { type Member, mapTexts, mapTextsOf, membersOf, objectOf, renamed, scalarOf } from './nodes.ts';

/** A key that has another name here. A dot leads into an object. */
interface OtherName {
  theirs: string;
  ours: string;
  /** Of a number: 1000 for seconds. */
  factor?: number;
  /** Understood, but not what the host writes. */
  readOnly?: boolean;
}

export interface HostFormatRules {
  names?: readonly OtherName[];
  /** Keys that do not affect how a server is run: left out on reading. */
  ignored?: readonly string[];
  /** The key that disables an entry. Undefined: the host cannot. */
  disables?: 'disabled' | 'enabled';
  /** The values of `type`. Undefined: the host has no `type`. */
  types?: Readonly<Record<'stdio' | 'http' | 'sse', string | undefined>>;
  /** Their notation of a variable of the environment in a text, and ours. */
  variables?: { fromTheirs?: (text: string) => string; theirs?: (name: string) => string };
  /** Before the names are changed. */
  beforeRead?: HostFormat['read'];
  /** After the names are changed. */
  afterWrite?: (written: Record<string, unknown>, entry: PlainEntry) => Record<string, unknown>;
}

/** Keys of Standpipe that another host also has. The others affect supervision, and only here. */
const writtenKeys = ['type', 'command', 'args', 'env', 'envFile', 'cwd', 'url', 'headers', 'disabled', 'enabled'];

export function formatOf(rules: HostFormatRules): HostFormat {
  const { names = [], ignored = [], variables, beforeRead } = rules;
  return {
    disables: rules.disables,
    read(entry, name, root, project) {
      const prepared = beforeRead ? beforeRead(entry, name, root, project) : entry;
      if (typeof prepared === 'string' || prepared.type !== 'object') return prepared;
      const kept = membersOf(prepared).filter(({ key }) => !ignored.includes(key.value));
      const ours = objectOf(names.reduce(readName, kept), prepared);
      return variables?.fromTheirs ? mapTexts(ours, variables.fromTheirs) : ours;
    },
    write(entry) {
      const written: Record<string, unknown> = {};
      for (const key of writtenKeys) if (entry[key] !== undefined) written[key] = entry[key];
      for (const { theirs, ours, factor = 1, readOnly } of names) {
        const value = readOnly ? undefined : valueAt(entry, ours.split('.'));
        if (value === undefined) continue;
        delete written[ours];
        setAt(written, theirs.split('.'), typeof value === 'number' ? value / factor : value);
      }
      writeDisabled(written, entry, rules.disables);
      writeType(written, entry, rules.types);
      const theirs = variables?.theirs;
      const spelled = rules.afterWrite ? rules.afterWrite(written, entry) : written;
      return (theirs ? mapTextsOf(spelled, (text) => withVariables(text, theirs)) : spelled) as Record<string, unknown>;
    },
  };
}

/** Moves the value at one path to another. */
function readName(members: Member[], { theirs, ours, factor }: OtherName): Member[] {
  const [outer, inner] = theirs.split('.') as [string, string?];
  const found = members.findLast(({ key }) => key.value === outer);
  if (!found || (inner !== undefined && found.value.type !== 'object')) return members;
  const others = members.filter(({ key }) => key.value !== outer);
  if (inner === undefined) return put(others, ours, { key: found.key, value: scaled(found.value, factor) });
  const inside = membersOf(found.value);
  const moved = inside.findLast(({ key }) => key.value === inner);
  const left = inside.filter((member) => member !== moved);
  const kept = left.length > 0 ? [...others, { key: found.key, value: objectOf(left, found.value) }] : others;
  return moved ? put(kept, ours, { key: moved.key, value: scaled(moved.value, factor) }) : kept;
}

function put(members: Member[], path: string, { key, value }: Member): Member[] {
  const [outer, inner] = path.split('.') as [string, string?];
  if (inner === undefined) return [...members, { key: renamed(key, outer), value }];
  const existing = members.find((member) => member.key.value === outer);
  const inside = [...membersOf(existing?.value), { key: renamed(key, inner), value }];
  const object = { key: existing?.key ?? renamed(key, outer), value: objectOf(inside, existing?.value ?? key) };
  return [...members.filter((member) => member !== existing), object];
}

function scaled(node: Node, factor = 1): Node {
  return node.type === 'number' ? scalarOf(Math.round(node.value * factor), node) : node;
}

function valueAt(entry: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (value as PlainEntry | undefined)?.[key], entry);
}

function setAt(object: Record<string, unknown>, [key, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    object[key!] = value;
    return;
  }
  object[key!] ??= {};
  setAt(object[key!] as Record<string, unknown>, rest, value);
}

function writeDisabled(written: Record<string, unknown>, entry: PlainEntry, key: HostFormatRules['disables']): void {
  delete written.enabled;
  delete written.disabled;
  const disabled = entry.disabled === true || entry.enabled === false;
  if (disabled && key !== undefined) written[key] = key === 'disabled';
}

function writeType(written: Record<string, unknown>, entry: PlainEntry, types: HostFormatRules['types']): void {
  delete written.type;
  const type = types?.[kindOf(entry)];
  if (type !== undefined) written.type = type;
}

/** `http` also for an entry that does not say it. */
export function kindOf({ command, type }: PlainEntry): 'stdio' | 'http' | 'sse' {
  if (command !== undefined) return 'stdio';
  return type === 'sse' ? 'sse' : 'http';
}

/** `${NAME}` and `${env:NAME}`, also those with a default, which other notations do not have. */
function withVariables(text: string, notation: (name: string) => string): string {
  return text.replaceAll(/(?<!\$)\$\{(?:env:)?([A-Za-z_]\w*)\}/g, (all, name: string) =>
    predefined.has(name) ? all : notation(name),
  );
}

const predefined = new Set(['workspaceFolder', 'workspaceFolderBasename', 'userHome', 'pathSeparator']);
