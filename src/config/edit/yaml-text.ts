// Sets and removes a server in the text of a YAML file, as an item of a list or a member of a map. Only its lines change.

import type { Node, Pair, YAMLMap, YAMLSeq } from 'yaml';
import { type Change, lineBreakOf, type ServersAt, unitOf } from './change.ts';

type Yaml = typeof import('yaml');
type Servers = YAMLMap<Node, Node> | YAMLSeq<Node>;
type Item = Node | Pair<Node, Node | null>;

export function editYaml(text: string, at: ServersAt, changes: readonly Change[], yaml: Yaml): string {
  const byName = new Map(changes.map((change) => [change.name as unknown, change]));
  let edited = text;
  for (;;) {
    const servers = yaml.parseDocument(edited).getIn(at.path, true) as Node | undefined;
    const items: Item[] = yaml.isCollection(servers) ? (servers.items as Item[]) : [];
    const seen = new Map<unknown, Item>();
    // If several items have the same name, the last one is used.
    let superfluous: Item | undefined;
    for (const item of items) {
      const change = byName.get(nameOf(item, at.nameKey, yaml));
      if (!change) continue;
      superfluous ??= change.entry === undefined ? item : seen.get(change.name);
      seen.set(change.name, item);
    }
    if (superfluous) edited = removed(edited, servers as Servers, superfluous, yaml);
    else return written(edited, at, byName, seen, servers, yaml);
  }
}

/** `old`: the items to replace, in the order of the text. */
function written(
  text: string,
  at: ServersAt,
  byName: ReadonlyMap<unknown, Change>,
  old: ReadonlyMap<unknown, Item>,
  servers: Node | undefined,
  yaml: Yaml,
): string {
  const fresh = [...byName.values()].filter(({ name, entry }) => entry !== undefined && !old.has(name));
  let edited = fresh.length === 0 ? text : added(text, at, fresh, undefined, servers, yaml);
  // Start at the end, so that the positions of earlier items stay valid.
  for (const [name, item] of [...old].reverse()) edited = added(edited, at, [byName.get(name)!], item, servers, yaml);
  return edited;
}

function nameOf(item: Item, nameKey: string | undefined, yaml: Yaml): unknown {
  if (nameKey === undefined) return yaml.isPair(item) && yaml.isScalar(item.key) ? item.key.value : undefined;
  return yaml.isMap(item) ? item.get(nameKey) : undefined;
}

function added(
  text: string,
  { path, nameKey }: ServersAt,
  changes: readonly Change[],
  old: Item | undefined,
  servers: Node | undefined,
  yaml: Yaml,
): string {
  const whole =
    nameKey === undefined
      ? Object.fromEntries(changes.map(({ name, entry }) => [name, entry]))
      : changes.map(({ name, entry }) => ({ [nameKey]: name, ...entry }));
  if (yaml.isCollection(servers) && servers.flow && servers.items.length > 0) {
    const flow = JSON.stringify(whole).slice(1, -1);
    if (old) return splice(text, ...spanOf(old), flow);
    return splice(text, spanOf(servers.items.at(-1) as Item)[1], undefined, `, ${flow}`);
  }
  if (yaml.isCollection(servers) && servers.items.length > 0) {
    const indent = ' '.repeat(columnOf(text, servers.range![0]));
    const lines = block(whole, indent, text, yaml);
    if (old) return splice(text, ...linesOf(text, old), lines);
    const end = linesOf(text, servers.items.at(-1) as Item)[1];
    return splice(text, end, undefined, closed(text.slice(0, end)) + lines);
  }
  return started(text, path, whole, servers, yaml);
}

/** The first server: the key of the servers may be missing, or its value may be empty. */
function started(text: string, path: readonly string[], whole: unknown, servers: Node | undefined, yaml: Yaml): string {
  const [start, end] = servers?.range ?? [];
  if (start === undefined || path.length !== 1) {
    const nested = path.reduceRight((value, key) => ({ [key]: value }), whole);
    return `${text}${closed(text)}${block(nested, '', text, yaml)}`;
  }
  const before = text.slice(0, start).trimEnd();
  const rest = text.slice(before.endsWith(':') ? end : start);
  const lines = block(whole, unitOf(text), text, yaml);
  return `${before}${lineBreakOf(text)}${/^[ \t]*(?:\r?\n|$)/.test(rest) ? lines.trimEnd() : lines}${rest}`;
}

function removed(text: string, servers: Servers, item: Item, yaml: Yaml): string {
  if (servers.items.length === 1) {
    const [start] = servers.range!;
    const before = text.slice(0, start).trimEnd();
    const empty = yaml.isSeq(servers) ? '[]' : '{}';
    const isBlock = !servers.flow;
    const end = isBlock ? linesOf(text, item)[1] : servers.range![1];
    const lineBreak = isBlock && /[\r\n]$/.test(text.slice(0, end)) ? lineBreakOf(text) : '';
    return `${before.endsWith(':') ? `${before} ` : text.slice(0, start)}${empty}${lineBreak}${text.slice(end)}`;
  }
  if (!servers.flow) return splice(text, ...linesOf(text, item), '');
  const items = servers.items as Item[];
  const index = items.indexOf(item);
  const from = index > 0 ? spanOf(items[index - 1]!)[1] : spanOf(item)[0];
  const to = index > 0 ? spanOf(item)[1] : spanOf(items[1]!)[0];
  return splice(text, from, to, '');
}

function spanOf(item: Item): [number, number] {
  const { key, value } = item as Pair<Node, Node | null>;
  if (key === undefined) return [(item as Node).range![0], (item as Node).range![1]];
  return [key.range![0], (value ?? key).range![1]];
}

/** Whole lines, with the line break at the end of the last one. */
function linesOf(text: string, item: Item): [number, number] {
  const [start, end] = spanOf(item);
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  if (end > 0 && text[end - 1] === '\n') return [lineStart, end];
  const lineEnd = text.indexOf('\n', end);
  return [lineStart, lineEnd < 0 ? text.length : lineEnd + 1];
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

function block(value: unknown, indent: string, text: string, yaml: Yaml): string {
  const lines = yaml
    .stringify(value, { lineWidth: 0, indent: Math.max(2, unitOf(text).length) })
    .trimEnd()
    .split('\n');
  return lines.map((line) => `${line === '' ? '' : indent + line}${lineBreakOf(text)}`).join('');
}

/** The line break that a text needs before another line. */
function closed(text: string): string {
  return text === '' || text.endsWith('\n') ? '' : lineBreakOf(text);
}

function splice(text: string, from: number, to: number | undefined, content: string): string {
  return text.slice(0, from) + content + text.slice(to ?? from);
}
