// Finds the entries of servers in a config, in any of its layouts, and converts them to the format of Standpipe.

import type { Node } from 'jsonc-parser';
import type { ConfigPlace } from '../files/places.ts';
import { membersOf, valueIn } from '../hosts/formats/nodes.ts';
import { type LockMode, lockModes } from '../lock/server-lock.ts';
import { Findings, type Position } from '../problem.ts';
import { pathOf } from '../system-context.ts';
import { Fields } from './fields.ts';
import type { JsonDocument } from './json-document.ts';
import { fileKeys } from './keys.ts';

interface ConfigEntry {
  name: string;
  source: Position;
  /** The entry in the format of Standpipe. Its nodes have the offsets of the text. */
  node: Node;
}

interface Entries {
  entries: ConfigEntry[];
  inputs: Node | undefined;
  /** The default of `locked` for all servers. */
  locked?: LockMode | undefined;
}

const example = 'Write {"mcpServers": {"some-name": {"command": "…"}}}.';

/** Returns undefined if the findings have an error. */
export function findEntries(
  document: JsonDocument,
  findings: Findings,
  place: Pick<ConfigPlace, 'host' | 'layout' | 'folder'>,
  platform: NodeJS.Platform,
): Entries | undefined {
  const { root, fault } = document;
  if (!root || fault) {
    findings.error(fault!, fault!.message, fault!.suggestion);
    return undefined;
  }
  if (root.type !== 'object') {
    findings.error(document.at(root), 'A config must be an object', example);
    return undefined;
  }
  const { host, layout } = place;
  const found = isPlain(layout)
    ? inPlainFile(root, document, findings, layout?.shared === true)
    : inLayout(root, document, findings, place, platform);
  if (!found || !host) return found;
  const project = valueOfProject(valueIn(root, 'projects'), place.folder, platform);
  const entries = found.entries.flatMap((entry) => {
    const node = host.format.read(entry.node, entry.name, root, project);
    if (typeof node !== 'string') return [{ ...entry, node }];
    const ofEntry = new Findings(entry.name);
    ofEntry.warn(entry.source, node);
    findings.problems.push(...ofEntry.problems);
    return [];
  });
  return { ...found, entries };
}

/** Whether the file is JSON with `mcpServers` or, as in VS Code, `servers`. */
function isPlain(layout: ConfigPlace['layout']): boolean {
  return !layout || (!layout.list && layout.keys.length === 1 && /^(?:mcpServers|servers)$/.test(layout.keys[0]!));
}

function inPlainFile(root: Node, document: JsonDocument, findings: Findings, shared: boolean): Entries | undefined {
  const fields = new Fields(root, document, findings);
  if (!shared) fields.warnUnknown(Object.keys(fileKeys));
  const keys = (['mcpServers', 'servers'] as const).filter((key) => fields.has(key));
  if (keys.length === 0) {
    if (shared) return { entries: [], inputs: undefined };
    const bare = fields
      .keys()
      .some((key) => fields.value(key)?.children?.some((field) => field.children?.[0]?.value === 'command'));
    findings.error(fields.at, 'There is no "mcpServers"', bare ? 'Put the servers into "mcpServers": {…}.' : example);
    return undefined;
  }
  const groups = keys.map((key) => fields.object(key, example));
  if (groups.includes(undefined)) return undefined;
  const entries = new Map<string, ConfigEntry>();
  for (const group of groups as Fields[]) {
    for (const name of group.keys()) {
      const [source, first] = [group.keyAt(name), entries.get(name)];
      if (first) findings.warn(source, `"${name}" is in "mcpServers" and in "servers"; the first one is used`);
      else entries.set(name, { name, source, node: group.value(name)! });
    }
  }
  const locked = fields.choice('locked', lockModes);
  if (fields.has('locked') && locked === undefined) return undefined; // the servers would run without their lock
  return { entries: [...entries.values()], inputs: fields.value('inputs'), locked };
}

/** The file also has other settings, which are ignored, and may have no servers. */
function inLayout(
  root: Node,
  document: JsonDocument,
  findings: Findings,
  { layout, folder }: Pick<ConfigPlace, 'layout' | 'folder'>,
  platform: NodeJS.Platform,
): Entries | undefined {
  const { keys, list } = layout!;
  const servers = keys.reduce<Node | undefined>(
    (node, key) => (key === '{project}' ? valueOfProject(node, folder, platform) : valueIn(node, key)),
    root,
  );
  if (!servers) return { entries: list ? single(root, document, platform) : [], inputs: undefined };
  if (servers.type === 'array' && list) return { entries: inList(servers, document, findings), inputs: undefined };
  if (servers.type !== 'object') {
    findings.error(document.at(servers), `"${keys.at(-1)}" must be ${list ? 'an array' : 'an object'}`);
    return undefined;
  }
  const group = new Fields(servers, document, findings);
  const entries = group.keys().map((name) => ({ name, source: group.keyAt(name), node: group.value(name)! }));
  return { entries, inputs: undefined };
}

function inList(list: Node, document: JsonDocument, findings: Findings): ConfigEntry[] {
  const entries = new Map<string, ConfigEntry>();
  for (const node of list.children ?? []) {
    const name = valueIn(node, 'name') ?? valueIn(node, 'uses');
    const source = document.at(node);
    if (name?.type !== 'string') findings.error(source, 'A server in a list needs a "name"');
    else if (entries.has(name.value))
      findings.warn(source, `"${name.value}" is in the list twice; the first one is used`);
    else entries.set(name.value, { name: name.value, source, node });
  }
  return [...entries.values()];
}

/** A file of a folder may be the entry of one server, named like the file. */
function single(root: Node, document: JsonDocument, platform: NodeJS.Platform): ConfigEntry[] {
  if (!valueIn(root, 'command') && !valueIn(root, 'url')) return [];
  const path = pathOf(platform);
  const name = path.basename(document.file, path.extname(document.file));
  return [{ name, source: document.at(root), node: root }];
}

/** Windows paths are compared with either separator and in any case. */
function valueOfProject(projects: Node | undefined, folder: string, platform: NodeJS.Platform): Node | undefined {
  const normal = (path: string) =>
    platform === 'win32' ? path.replaceAll('\\', '/').replace(/\/$/, '').toLowerCase() : path.replace(/(?<=.)\/$/, '');
  return membersOf(projects).findLast(({ key }) => normal(key.value) === normal(folder))?.value;
}
