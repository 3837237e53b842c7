// The servers of a config as plain data in the format of Standpipe. Variables are not expanded: references stay references.

import { getNodeValue } from 'jsonc-parser';
import { isObject } from '../../base/json-object.ts';
import type { ConfigPlace } from '../files/places.ts';
import type { PlainEntry } from '../hosts/host-program.ts';
import { Findings, problemError } from '../problem.ts';
import { findEntries } from '../read/find-entries.ts';
import { parseText } from '../read/parse-text.ts';
import type { ServersAt } from './change.ts';
import { orEmpty } from './edit-servers.ts';

export interface ConfigServers {
  /** In the format of Standpipe, without entries that only their host can run. */
  entries: ReadonlyMap<string, PlainEntry>;
  /** The definitions of `inputs` by `id`. */
  inputs: ReadonlyMap<string, PlainEntry>;
  /** The places of an entry in the file; for a new one, the place to write it. */
  placesOf(name: string): readonly ServersAt[];
  has(name: string): boolean;
  names: readonly string[];
}

/** Throws for a syntax error, with its position. */
export async function readServers(text: string, place: ConfigPlace, platform: NodeJS.Platform): Promise<ConfigServers> {
  const document = await parseText(orEmpty(text, place.layout ?? { format: 'json' }), place);
  if (document.fault) throw problemError({ severity: 'error', ...document.fault });
  const data: unknown = getNodeValue(document.root!);
  // Other problems of the file are ignored here.
  const found = findEntries(document, new Findings(), place, platform);
  const values = (found?.entries ?? []).map(({ name, node }) => [name, getNodeValue(node)] as const);
  const inputs: unknown[] = found?.inputs?.type === 'array' ? getNodeValue(found.inputs) : [];
  const places = groupsOf(data, place);
  const having = (name: string) => places.filter((each) => namesAt(data, each).includes(name));
  return {
    entries: new Map(values.filter(([, value]) => isObject(value))),
    inputs: new Map(inputs.filter(isObject).map(({ id, ...rest }) => [String(id), rest])),
    placesOf: (name) => (having(name).length > 0 ? having(name) : places.slice(0, 1)),
    has: (name) => having(name).length > 0,
    names: [...new Set(places.flatMap((each) => namesAt(data, each)))],
  };
}

/** Where servers are in a file, the one for new servers first. A plain file may have both `mcpServers` and `servers`. */
function groupsOf(data: unknown, { file, folder, layout }: ConfigPlace): ServersAt[] {
  const keys = layout?.keys ?? ['mcpServers'];
  const at = { file, format: layout?.format ?? 'json' } as const;
  const path = keys.map((key) => (key === '{project}' ? folder : key));
  const nameKey = layout?.list && !isObject(valueAt(data, path)) ? 'name' : undefined;
  const isPlain = !layout?.list && keys.length === 1 && ['mcpServers', 'servers'].includes(keys[0]!);
  if (!isPlain) return [{ ...at, path, nameKey }];
  const existing = ['mcpServers', 'servers'].filter((key) => valueAt(data, [key]) !== undefined);
  return (existing.length > 0 ? existing : keys).map((key) => ({ ...at, path: [key] }));
}

function namesAt(data: unknown, { path, nameKey }: ServersAt): string[] {
  const servers = valueAt(data, path);
  if (nameKey === undefined) return isObject(servers) ? Object.keys(servers) : [];
  return Array.isArray(servers) ? servers.flatMap((item) => (isObject(item) ? [String(item[nameKey])] : [])) : [];
}

function valueAt(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    data,
  );
}
