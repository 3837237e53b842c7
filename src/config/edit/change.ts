// Applies a change of servers to the data of a config. The functions that edit the text must produce exactly this data.

import { UsageError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import type { ConfigFormat } from '../hosts/host-program.ts';

export interface ServersAt {
  file: string;
  format: ConfigFormat;
  /** The keys from the root to the servers. */
  path: readonly string[];
  /** The servers are a list, and each has its name in this member. */
  nameKey?: string | undefined;
}

export interface Change {
  name: string;
  /** The new entry; undefined removes the server. Undefined members are not written. */
  entry: Readonly<Record<string, unknown>> | undefined;
}

export function withChanges(data: unknown, at: ServersAt, changes: readonly Change[], depth = 0): unknown {
  const key = at.path[depth];
  const { nameKey } = at;
  if (key === undefined && nameKey !== undefined) {
    return changes.reduce((before, change) => inList(before, at, change, nameKey), data);
  }
  const object = data ?? {};
  if (!isObject(object)) throw inTheWay(at, depth, 'an object');
  if (key === undefined) {
    const members = new Map(Object.entries(object));
    for (const { name, entry } of changes) {
      if (entry === undefined) members.delete(name);
      else members.set(name, entry);
    }
    return Object.fromEntries(members);
  }
  const isThere = Object.hasOwn(object, key);
  if (!isThere && changes.every(({ entry }) => entry === undefined)) return data;
  return { ...object, [key]: withChanges(isThere ? object[key] : undefined, at, changes, depth + 1) };
}

function inList(data: unknown, at: ServersAt, { name, entry }: Change, nameKey: string): unknown[] {
  const list: unknown = data ?? [];
  if (!Array.isArray(list)) throw inTheWay(at, at.path.length, 'a list');
  const isNamed = (item: unknown) => isObject(item) && item[nameKey] === name;
  const last = list.findLastIndex(isNamed);
  const kept = list.filter((item, index) => !isNamed(item) || (entry !== undefined && index === last));
  if (entry === undefined) return kept;
  const item = { [nameKey]: name, ...entry };
  return last < 0 ? [...kept, item] : kept.map((each) => (isNamed(each) ? item : each));
}

function inTheWay({ file, path }: ServersAt, depth: number, wanted: string): UsageError {
  const what = depth === 0 ? 'The config' : `"${path.slice(0, depth).join('.')}"`;
  return new UsageError('CONFIG_INVALID', `${what} must be ${wanted}: ${file}`);
}

export interface Layout {
  lineBreak: string;
  unit: string;
}

export function layoutOf(text: string): Layout {
  return { lineBreak: lineBreakOf(text), unit: unitOf(text) };
}

export function lineBreakOf(text: string): string {
  return /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
}

/** One step of indentation, taken from the first indented line. */
export function unitOf(text: string): string {
  return /(?:^|[\r\n])([ \t]+)[^\s/*#]/.exec(text)?.[1] ?? '  ';
}

/** The white space at the start of the line of an offset. */
export function indentOf(text: string, offset: number): string {
  const lineStart = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, offset))![0];
}
