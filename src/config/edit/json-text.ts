// Sets and removes a member of an object or an item of a list in the text of JSON with comments. Only the member and one comma
// change: comments, white space and all other text are kept. Works on text and offsets; does not read files.

import {
  applyEdits,
  createScanner,
  type Edit,
  findNodeAtLocation,
  type Node,
  type SyntaxKind,
  stripComments,
} from 'jsonc-parser';
import { parseDocument } from '../read/json-document.ts';
import type { Change, ServersAt } from './change.ts';
import { indentOf, type Layout, layoutOf, lineBreakOf, unitOf } from './layout.ts';

/** `SyntaxKind.CommaToken`; the enum is declared `const` and cannot be imported as a value. */
const COMMA = 5 as SyntaxKind;

interface NewItem {
  /** Undefined in a list. */
  key: string | undefined;
  value: unknown;
}

/** The text must be valid, and the values on the path must have the right types. */
export function editJson(text: string, at: ServersAt, changes: readonly Change[]): string {
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

/** Removes deleted servers and duplicates. The last of several servers of one name is used, so it is kept. */
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

/** The white space in front, if nothing else is on the line before it. */
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

/** Empty for a text without white space. */
function spaceIn(text: string): string {
  return /":\S/.test(text) && !/": /.test(text) ? '' : ' ';
}

/** A value as JSON in the layout of the text that it becomes part of. Objects have one member a line, and lists of plain values are on one line. */
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

/** On one line. `space`: after commas and colons, and inside of braces. */
function compact(value: unknown, space: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each) => compact(each, space)).join(`,${space}`)}]`;
  const members = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}:${space}${compact(each, space)}`);
  return members.length === 0 ? '{}' : `{${space}${members.join(`,${space}`)}${space}}`;
}
