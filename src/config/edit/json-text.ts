// Sets and removes a member of an object in the text of JSON with comments. Only the member and one comma change: comments, white
// space and the spelling of everything else stay. Works on text and offsets; does not read files.

import { applyEdits, createScanner, type Edit, type Node, type SyntaxKind, stripComments } from 'jsonc-parser';
import { problemError } from '../problem.ts';
import { type JsonDocument, parseDocument } from '../read/json-document.ts';
import type { Change, ServersAt } from './change.ts';
import { indentOf, lineBreakOf, unitOf } from './layout.ts';

/** `SyntaxKind.CommaToken`; the enum is declared `const` and cannot be imported as a value. */
const COMMA = 5 as SyntaxKind;

export function editJson(text: string, { file, path }: ServersAt, { name, entry }: Change): string {
  if (stripComments(text).trim() === '') {
    return entry === undefined
      ? text
      : `${withLineEnd(text)}${formatted(nested(path, name, entry), text, '')}${lineBreakOf(text)}`;
  }
  let edited = text;
  for (;;) {
    const { object, rest } = reach(edited, file, path);
    const [key, ...inner] = [...rest, name];
    const found = rest.length > 0 ? [] : membersOf(object, name);
    const [first] = found;
    if (entry === undefined) {
      if (!first) return edited;
      edited = removed(edited, object, first);
    } else if (!first) return inserted(edited, object, key!, nested(inner.slice(0, -1), inner.at(-1), entry));
    // Of duplicate names the last one is used.
    else if (found.length > 1) edited = removed(edited, object, first);
    else return replaced(edited, first, entry);
  }
}

/** The object at the path, or the nearest one that exists with the keys that are missing. */
function reach(text: string, file: string, path: readonly string[]): { object: Node; rest: readonly string[] } {
  const document = parseDocument(text, file);
  if (document.fault) throw problemError({ severity: 'error', ...document.fault });
  let object = asObject(document.root!, document, 'A config');
  for (const [depth, key] of path.entries()) {
    const member = membersOf(object, key).at(-1);
    if (!member) return { object, rest: path.slice(depth) };
    object = asObject(member.children![1]!, document, `"${key}"`);
  }
  return { object, rest: [] };
}

function asObject(node: Node, document: JsonDocument, what: string): Node {
  if (node.type === 'object') return node;
  throw problemError({ severity: 'error', ...document.at(node), message: `${what} must be an object` });
}

function membersOf(object: Node, key: string): Node[] {
  return (object.children ?? []).filter((member) => member.children![0]!.value === key);
}

function nested(path: readonly string[], name: string | undefined, entry: unknown): unknown {
  const innermost = name === undefined ? entry : { [name]: entry };
  return path.reduceRight((value: unknown, key) => ({ [key]: value }), innermost);
}

function inserted(text: string, object: Node, key: string, value: unknown): string {
  const [start, close] = [object.offset + 1, endOf(object) - 1];
  const last = object.children?.at(-1);
  // An empty object gets lines of its own, except in a text that is one line.
  const around = last ? text.slice(start, close) : object.parent ? text.trimEnd() : '\n';
  const isOneLine = !/[\r\n]/.test(around);
  const ownIndent = indentOf(text, object.offset);
  const indent = (last && lineStartIndent(text, last.offset)) ?? ownIndent + unitOf(text);
  const member = isOneLine
    ? `${JSON.stringify(key)}:${spaceIn(text)}${compact(value, spaceIn(text))}`
    : `${JSON.stringify(key)}: ${formatted(value, text, indent)}`;
  const contentEnd = start + text.slice(start, close).trimEnd().length;
  const gap = isOneLine ? (contentEnd === start ? '' : spaceIn(text)) : `${lineBreakOf(text)}${indent}`;
  const comma = last && commaAfter(text, endOf(last), close);
  const edits: Edit[] = [
    { offset: contentEnd, length: 0, content: `${gap}${member}${comma === undefined ? '' : ','}` },
  ];
  if (last && comma === undefined) edits.unshift({ offset: endOf(last), length: 0, content: ',' });
  if (!isOneLine && !last && contentEnd === close)
    edits.push({ offset: close, length: 0, content: lineBreakOf(text) + ownIndent });
  return applyEdits(text, edits);
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

function replaced(text: string, member: Node, entry: unknown): string {
  const value = member.children![1]!;
  const isOneLine =
    !/[\r\n]/.test(text.slice(value.offset, endOf(value))) && lineStartIndent(text, member.offset) === undefined;
  const content = isOneLine ? compact(entry, spaceIn(text)) : formatted(entry, text, indentOf(text, member.offset));
  return applyEdits(text, [{ offset: value.offset, length: value.length, content }]);
}

/** The offset of the comma between `from` and `to`, outside of comments. */
function commaAfter(text: string, from: number, to: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  return scanner.scan() === COMMA && scanner.getTokenOffset() < to ? scanner.getTokenOffset() : undefined;
}

/** Objects have one member a line, and lists of plain values are on one line. */
function formatted(value: unknown, text: string, indent: string): string {
  const deeper = indent + unitOf(text);
  const lines = (parts: string[], open: string, close: string) => {
    const lineBreak = lineBreakOf(text);
    return parts.length === 0
      ? open + close
      : `${open}${lineBreak}${parts.map((part) => deeper + part).join(`,${lineBreak}`)}${lineBreak}${indent}${close}`;
  };
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (!Array.isArray(value)) {
    const members = Object.entries(value).filter(([, each]) => each !== undefined);
    return lines(
      members.map(([key, each]) => `${JSON.stringify(key)}: ${formatted(each, text, deeper)}`),
      '{',
      '}',
    );
  }
  if (value.some((each) => typeof each === 'object'))
    return lines(
      value.map((each) => formatted(each, text, deeper)),
      '[',
      ']',
    );
  return compact(value, ' ');
}

function compact(value: unknown, space: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each) => compact(each, space)).join(`,${space}`)}]`;
  const members = Object.entries(value).filter(([, each]) => each !== undefined);
  const parts = members.map(([key, each]) => `${JSON.stringify(key)}:${space}${compact(each, space)}`);
  return parts.length === 0 ? '{}' : `{${space}${parts.join(`,${space}`)}${space}}`;
}

/** The white space in front, if nothing else is on the line before it. */
function lineStartIndent(text: string, offset: number): string | undefined {
  return /(?:^|[\r\n])([ \t]*)$/.exec(text.slice(0, offset))?.[1];
}

/** Empty for a text that was written without white space. */
function spaceIn(text: string): string {
  return /":\S/.test(text) && !/": /.test(text) ? '' : ' ';
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
