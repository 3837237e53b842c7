// Adds, replaces and removes servers in the text of a config. The new text is parsed again: an edit that would change anything else
// is refused. The TOML and YAML libraries are loaded on first use. Does no I/O.

import { isDeepStrictEqual } from 'node:util';
import {
  applyEdits,
  createScanner,
  type Edit,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type SyntaxKind,
  stripComments,
} from 'jsonc-parser';
import { UsageError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { problemError } from '../problem.ts';
import { parseDocument, parseText } from '../read/json-document.ts';
import {
  type Change,
  indentOf,
  type Layout,
  layoutOf,
  lineBreakOf,
  type ServersAt,
  unitOf,
  withChanges,
} from './change.ts';

interface Language {
  /** `text` must be free of syntax errors. */
  parse(text: string): unknown;
  edit(text: string, changes: readonly Change[]): string;
}

/** Throws CONFIG_INVALID with the position of a syntax error. */
export async function editServers(text: string, at: ServersAt, changes: readonly Change[]): Promise<string> {
  const { fault } = await parseText(orEmpty(text, at), { file: at.file, layout: at });
  if (fault) throw problemError({ severity: 'error', ...fault });
  const language = await languageOf(at);
  const given = changes.map(({ name, entry }): Change => ({ name, entry: entry && plain(entry) }));
  return editAll(text, at, given, language);
}

/** Applies all changes at once, because each edit parses the whole text; one at a time only to find a change that fails. */
function editAll(text: string, at: ServersAt, changes: readonly Change[], language: Language): string {
  const wanted = withChanges(language.parse(text), at, changes);
  const edited = language.edit(text, changes);
  if (isReached(edited, wanted, at, language)) return edited;
  if (changes.length === 1) throw tooIntricate(at, changes[0]!);
  return changes.reduce((before, change) => editAll(before, at, [change], language), text);
}

/** JSON without a value is treated as an empty object. */
export function orEmpty(text: string, { format }: Pick<ServersAt, 'format'>): string {
  return format === 'json' && stripComments(text).trim() === '' ? `${text}\n{}` : text;
}

function isReached(edited: string, wanted: unknown, { path }: ServersAt, { parse }: Language): boolean {
  try {
    return isDeepStrictEqual(comparable(parse(edited), path), comparable(wanted, path));
  } catch {
    return false; // a text with a syntax error is not the wanted result
  }
}

async function languageOf(at: ServersAt): Promise<Language> {
  if (at.format === 'toml') {
    const [toml, { editToml }] = await Promise.all([import('@decimalturn/toml-patch'), import('./toml-text.ts')]);
    return { parse: (text) => toml.parse(text), edit: (text, changes) => editToml(text, at, changes, toml) };
  }
  if (at.format === 'yaml') {
    const [yaml, { editYaml }] = await Promise.all([import('yaml'), import('./yaml-text.ts')]);
    return {
      parse: (text) => yaml.parse(text, { logLevel: 'error', maxAliasCount: -1 }),
      edit: (text, changes) => editYaml(text, at, changes, yaml),
    };
  }
  const parse = (text: string) => getNodeValue(parseDocument(orEmpty(text, at), at.file).root!);
  return { parse, edit: (text, changes) => editJson(text, at, changes) };
}

function tooIntricate({ file }: ServersAt, { name, entry }: Change): UsageError {
  const verb = entry === undefined ? 'removed from' : 'written to';
  return new UsageError('CONFIG_INVALID', `"${name}" cannot be ${verb} ${file} without changing other content`, {
    hint: 'Edit the file by hand.',
  });
}

/** Removes empty objects on the path, because the TOML editor leaves out a table without servers. */
function comparable(data: unknown, path: readonly string[]): unknown {
  const object = plain(data ?? {}) as Record<string, unknown>;
  const [key, ...rest] = path;
  if (key === undefined || !isObject(object[key])) return object;
  const inner = comparable(object[key], rest) as object;
  if (Object.keys(inner).length > 0) return { ...object, [key]: inner };
  const { [key]: _, ...others } = object;
  return others;
}

/** Data for comparison, without prototypes and undefined members. */
function plain<T>(value: T): T {
  const text = JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each));
  return text === undefined ? value : JSON.parse(text);
}

/** `SyntaxKind.CommaToken`; the enum is declared `const` and cannot be imported as a value. */
const COMMA = 5 as SyntaxKind;

interface NewItem {
  /** The key of the member; undefined in a list. */
  key: string | undefined;
  value: unknown;
}

/**
 * Sets and removes members of an object or items of a list. Only they and their commas change: comments, white space and all other
 * text are kept. The text must be valid, and the values on the path must have the right types.
 */
function editJson(text: string, at: ServersAt, changes: readonly Change[]): string {
  const written = changes.filter(({ entry }) => entry !== undefined);
  const edited = withoutOthers(text, at, changes);
  if (written.length === 0) return edited;
  const items = new Map(written.map((change) => [change.name, itemOf(change, at)]));
  const around = (path: readonly string[]) => {
    const inside = at.nameKey === undefined ? Object.fromEntries(items) : [...items.values()];
    return path.reduceRight<unknown>((value, key) => ({ [key]: value }), inside);
  };
  if (stripComments(edited).trim() === '') {
    return `${withLineEnd(edited)}${formatted(around(at.path), layoutOf(edited), '')}${lineBreakOf(edited)}`;
  }
  const { container, missing } = reach(edited, at);
  const [key, ...deeper] = missing;
  if (key !== undefined) return applyEdits(edited, insertion(edited, container, [{ key, value: around(deeper) }]));
  const existing = new Map((container.children ?? []).map((item) => [nameOf(item, at.nameKey), item]));
  const edits: Edit[] = [];
  const added: NewItem[] = [];
  for (const [name, value] of items) {
    const item = existing.get(name);
    if (item) edits.push(replacement(edited, item, value));
    else added.push({ key: at.nameKey === undefined ? name : undefined, value });
  }
  return applyEdits(edited, [...edits, ...(added.length === 0 ? [] : insertion(edited, container, added))]);
}

function itemOf({ name, entry }: Change, { nameKey }: ServersAt): unknown {
  return nameKey === undefined ? entry : { [nameKey]: name, ...entry };
}

/** Removes deleted servers and duplicates. If several servers have the same name, the last one is used, so it is kept. */
function withoutOthers(text: string, at: ServersAt, changes: readonly Change[]): string {
  let edited = text;
  const most = new Map(changes.map(({ name, entry }) => [name as unknown, entry === undefined ? 0 : 1]));
  while (stripComments(edited).trim() !== '') {
    const { container, missing } = reach(edited, at);
    const items = missing.length > 0 ? [] : (container.children ?? []);
    const counts = new Map<unknown, number>();
    for (const item of items) counts.set(nameOf(item, at.nameKey), (counts.get(nameOf(item, at.nameKey)) ?? 0) + 1);
    const first = items.find((item) => {
      const name = nameOf(item, at.nameKey);
      return counts.get(name)! > (most.get(name) ?? Number.POSITIVE_INFINITY);
    });
    if (!first) return edited;
    edited = removed(edited, container, first);
  }
  return edited;
}

/** The servers, or the nearest existing parent object with the keys that it lacks. */
function reach(text: string, { file, path }: ServersAt): { container: Node; missing: readonly string[] } {
  let container = parseDocument(text, file).root!;
  for (const [depth, key] of path.entries()) {
    const member = itemsOf(container, key).at(-1);
    if (!member) return { container, missing: path.slice(depth) };
    container = member.children![1]!;
  }
  return { container, missing: [] };
}

/** Members of an object, or items of a list that have the name in their member `nameKey`. */
function itemsOf(container: Node, name: string, nameKey?: string): Node[] {
  return (container.children ?? []).filter((item) => nameOf(item, nameKey) === name);
}

function nameOf(item: Node, nameKey: string | undefined): unknown {
  return nameKey === undefined ? item.children![0]!.value : findNodeAtLocation(item, [nameKey])?.value;
}

function insertion(text: string, object: Node, items: readonly NewItem[]): Edit[] {
  const [start, close] = [object.offset + 1, endOf(object) - 1];
  const last = object.children?.at(-1);
  // The members of an empty object get separate lines, unless the text is a single line.
  const around = last ? text.slice(start, close) : object.parent ? text.trimEnd() : '\n';
  const isOneLine = !/[\r\n]/.test(around);
  const ownIndent = indentOf(text, object.offset);
  const indent = (last && lineStartIndent(text, last.offset)) ?? ownIndent + unitOf(text);
  const space = isOneLine ? spaceIn(text) : ' ';
  const layout = layoutOf(text);
  const members = items.map(({ key, value }) => {
    const label = key === undefined ? '' : `${JSON.stringify(key)}:${space}`;
    return label + (isOneLine ? compact(value, space) : formatted(value, layout, indent));
  });
  const contentEnd = start + text.slice(start, close).trimEnd().length;
  const gap = isOneLine ? spaceIn(text) : `${lineBreakOf(text)}${indent}`;
  const first = isOneLine && contentEnd === start ? '' : gap;
  const comma = last && commaAfter(text, endOf(last), close);
  const edits: Edit[] = [
    { offset: contentEnd, length: 0, content: `${first}${members.join(`,${gap}`)}${comma === undefined ? '' : ','}` },
  ];
  if (last && comma === undefined) edits.unshift({ offset: endOf(last), length: 0, content: ',' });
  if (!isOneLine && !last && contentEnd === close)
    edits.push({ offset: close, length: 0, content: lineBreakOf(text) + ownIndent });
  return edits;
}

function removed(text: string, object: Node, member: Node): string {
  const members = object.children!;
  const [previous, next] = [members[members.indexOf(member) - 1], members[members.indexOf(member) + 1]];
  const close = endOf(object) - 1;
  const comma = commaAfter(text, endOf(member), next?.offset ?? close);
  const edits: Edit[] = [];
  let end = endOf(member);
  if (comma === end) end++;
  else if (comma !== undefined) edits.push(deletion(comma));
  else if (previous) edits.push(deletion(commaAfter(text, endOf(previous), member.offset)!));
  const before = /(?:\r\n|\n|\r)?[ \t]*$/.exec(text.slice(0, member.offset))![0];
  const after = /^[ \t]*/.exec(text.slice(end))![0].length;
  const startsLine = /[\r\n]/.test(before);
  const closesLine = end + after === close && !/\/\/.*$/.test(text.slice(0, member.offset - before.length));
  const endsLine = closesLine || /^(?:[\r\n]|$)/.test(text.slice(end + after));
  const keepsBefore = startsLine ? !endsLine : next !== undefined || !previous;
  edits.push(
    deletion(member.offset - (keepsBefore ? 0 : before.length), end + ((startsLine ? !endsLine : next) ? after : 0)),
  );
  const result = applyEdits(text, edits);
  const closeAfter = close - (text.length - result.length);
  const isBlank = members.length === 1 && result.slice(object.offset + 1, closeAfter).trim() === '';
  const wasExpanded = startsLine && isBlank;
  return wasExpanded ? `${result.slice(0, object.offset + 1)}${result.slice(closeAfter)}` : result;
}

function replacement(text: string, member: Node, entry: unknown): Edit {
  const value = member.type === 'property' ? member.children![1]! : member;
  const isOneLine =
    !/[\r\n]/.test(text.slice(value.offset, endOf(value))) && lineStartIndent(text, member.offset) === undefined;
  const content = isOneLine
    ? compact(entry, spaceIn(text))
    : formatted(entry, layoutOf(text), indentOf(text, member.offset));
  return { offset: value.offset, length: value.length, content };
}

/** The offset of the comma between `from` and `to`, outside of comments. */
function commaAfter(text: string, from: number, to: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  return scanner.scan() === COMMA && scanner.getTokenOffset() < to ? scanner.getTokenOffset() : undefined;
}

/** The white space between the start of the line and `offset`, or undefined if other text precedes `offset` on the line. */
function lineStartIndent(text: string, offset: number): string | undefined {
  return /(?:^|[\r\n])([ \t]*)$/.exec(text.slice(0, offset))?.[1];
}

function withLineEnd(text: string): string {
  return text === '' || /[\r\n]$/.test(text) ? text : text + lineBreakOf(text);
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

function deletion(from: number, to = from + 1): Edit {
  return { offset: from, length: to - from, content: '' };
}

/** Returns an empty text for a text without white space. */
function spaceIn(text: string): string {
  return /":\S/.test(text) && !/": /.test(text) ? '' : ' ';
}

/** JSON in the layout of the text around it. Objects have one member per line; lists of plain values are on one line. */
function formatted(value: unknown, layout: Layout, indent: string): string {
  const { lineBreak, unit } = layout;
  const deeper = indent + unit;
  const lines = (parts: string[]) =>
    `${lineBreak}${parts.map((part) => deeper + part).join(`,${lineBreak}`)}${lineBreak}${indent}`;
  if (Array.isArray(value) && value.some((each) => typeof each === 'object')) {
    return `[${lines(value.map((each) => formatted(each, layout, deeper)))}]`;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return compact(value, ' ');
  const members = Object.entries(value).map(
    ([key, each]) => `${JSON.stringify(key)}: ${formatted(each, layout, deeper)}`,
  );
  return members.length === 0 ? '{}' : `{${lines(members)}}`;
}

/** JSON on one line. `space`: after commas and colons, and inside braces. */
function compact(value: unknown, space: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each) => compact(each, space)).join(`,${space}`)}]`;
  const members = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}:${space}${compact(each, space)}`);
  return members.length === 0 ? '{}' : `{${space}${members.join(`,${space}`)}${space}}`;
}
