// A host format defined by a table of keys. Used in both directions: a key renamed on reading gets its old name on writing.

import type { Node } from 'jsonc-parser';
import type { HostFormat, PlainEntry } from '../host-program.ts';
import { type Member, mapTexts, mapTextsOf, membersOf, objectOf, renamed, scalarOf } from './nodes.ts';

export interface HostFormatRules {
  /** Maps key names of the host to ours. A dot separates the keys of nested objects. */
  names?: Readonly<Record<string, string>>;
  /** Maps keys of the host with numbers in seconds to ours, which are in milliseconds. */
  seconds?: readonly string[];
  /** Key names of the host that are read but never written. */
  readOnly?: readonly string[];
  /** Keys that do not affect how a server is run. */
  ignored?: readonly string[];
  disables?: HostFormat['disables'];
  /** The values of `type`. Undefined: the host has no `type`. */
  types?: Readonly<Record<'stdio' | 'http' | 'sse', string | undefined>>;
  variables?: { fromTheirs?: (text: string) => string; theirs?: (name: string) => string };
  /** Called for an object, before the names are changed. */
  beforeRead?: HostFormat['read'];
  /** Called after the names were changed. */
  afterWrite?: (written: Record<string, unknown>, entry: PlainEntry) => Record<string, unknown>;
}

/** Keys that other hosts have too. The other keys affect supervision by Standpipe. */
const writtenKeys = ['type', 'command', 'args', 'env', 'envFile', 'cwd', 'url', 'headers', 'disabled', 'enabled'];

export function formatOf(rules: HostFormatRules): HostFormat {
  const { seconds, readOnly, ignored = [], variables, beforeRead } = rules;
  const names = Object.entries(rules.names ?? {});
  const factorOf = (theirs: string) => (seconds?.includes(theirs) ? 1000 : 1);
  return {
    disables: rules.disables,
    read(entry, name, root, project) {
      const prepared = beforeRead && entry.type === 'object' ? beforeRead(entry, name, root, project) : entry;
      if (typeof prepared === 'string' || prepared.type !== 'object') return prepared;
      const kept = membersOf(prepared).filter(({ key }) => !ignored.includes(key.value));
      const read = (members: Member[], [theirs, ours]: [string, string]) =>
        readName(members, theirs, ours, factorOf(theirs));
      const converted = objectOf(names.reduce(read, kept), prepared);
      return variables?.fromTheirs ? mapTexts(converted, variables.fromTheirs) : converted;
    },
    write(entry) {
      const written: Record<string, unknown> = {};
      for (const key of writtenKeys) if (entry[key] !== undefined) written[key] = entry[key];
      for (const [theirs, ours] of names) {
        const value = readOnly?.includes(theirs) ? undefined : valueAt(entry, ours.split('.'));
        if (value === undefined) continue;
        delete written[ours];
        setAt(written, theirs.split('.'), typeof value === 'number' ? value / factorOf(theirs) : value);
      }
      writeDisabled(written, entry, rules.disables);
      writeType(written, entry, rules.types);
      const theirs = variables?.theirs;
      const spelled = rules.afterWrite ? rules.afterWrite(written, entry) : written;
      return (theirs ? mapTextsOf(spelled, (text) => withVariables(text, theirs)) : spelled) as Record<string, unknown>;
    },
  };
}

function readName(members: Member[], theirs: string, ours: string, factor: number): Member[] {
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

function scaled(node: Node, factor: number): Node {
  return node.type === 'number' ? scalarOf(Math.round(node.value * factor), node) : node;
}

function valueAt(entry: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (value as PlainEntry | undefined)?.[key], entry);
}

function setAt(object: Record<string, unknown>, [key, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) object[key!] = value;
  else {
    object[key!] ??= {};
    setAt(object[key!] as Record<string, unknown>, rest, value);
  }
}

function writeDisabled(written: Record<string, unknown>, entry: PlainEntry, key: HostFormatRules['disables']): void {
  delete written.enabled;
  delete written.disabled;
  const disabled = entry.disabled === true || entry.enabled === false;
  if (disabled && key !== undefined) written[key] = key === 'disabled';
}

function writeType(written: Record<string, unknown>, entry: PlainEntry, types: HostFormatRules['types']): void {
  delete written.type;
  const kind = entry.command !== undefined ? 'stdio' : entry.type === 'sse' ? 'sse' : 'http';
  const type = types?.[kind];
  if (type !== undefined) written.type = type;
}

/** Replaces `${NAME}` and `${env:NAME}`. A reference with a default stays, because other notations have no defaults. */
function withVariables(text: string, notation: (name: string) => string): string {
  return text.replaceAll(/(?<!\$)\$\{(?:env:)?([A-Za-z_]\w*)\}/g, (all, name: string) =>
    predefined.has(name) ? all : notation(name),
  );
}

const predefined = new Set(['workspaceFolder', 'workspaceFolderBasename', 'userHome', 'pathSeparator']);
