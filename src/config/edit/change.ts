// A change of the servers of a config: what is wanted, as data. The editors of texts must reach exactly this.

import { isObject } from '../../base/json-object.ts';

export type Format = 'json' | 'toml' | 'yaml';

/** Where the servers are in a file. */
export interface ServersAt {
  /** For messages. */
  file: string;
  format: Format;
  /** The keys from the root to the servers. */
  path: readonly string[];
  /** The servers are a list, and each has its name in this member. */
  nameKey?: string | undefined;
}

export interface Change {
  name: string;
  /** Undefined: the server is removed. Members that are undefined are not written. */
  entry: Readonly<Record<string, unknown>> | undefined;
}

/** The data after a change. Whatever is in the way of the path is replaced. */
export function withChange(data: unknown, path: readonly string[], { name, entry }: Change, nameKey?: string): unknown {
  const [key, ...rest] = path;
  const object = isObject(data) ? data : {};
  if (key !== undefined) {
    if (entry === undefined && !(key in object)) return data;
    return { ...object, [key]: withChange(object[key], rest, { name, entry }, nameKey) };
  }
  if (nameKey === undefined) {
    const { [name]: _, ...others } = object;
    if (entry === undefined) return others;
    return name in object ? { ...object, [name]: entry } : { ...others, [name]: entry };
  }
  const list: unknown[] = Array.isArray(data) ? data : [];
  const isNamed = (item: unknown) => isObject(item) && item[nameKey] === name;
  const last = list.findLastIndex(isNamed);
  const kept = list.filter((item, index) => !isNamed(item) || (entry !== undefined && index === last));
  if (entry === undefined) return kept;
  const item = { [nameKey]: name, ...entry };
  return last < 0 ? [...kept, item] : kept.map((each) => (isNamed(each) ? item : each));
}
