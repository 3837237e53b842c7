// Sets and removes a table in the text of a TOML file. A TOML statement occupies whole lines, so an entry is a set of lines; all
// other lines are kept. If the servers are members of an inline table, the library rewrites that table.

import type { parseDocument } from '@decimalturn/toml-patch';
import { type Change, lineBreakOf, type ServersAt, withChanges } from './change.ts';

type Toml = typeof import('@decimalturn/toml-patch');
type Statement = ReturnType<typeof parseDocument>['cst'][number];
/** The first and the last line of a range. Lines count from 1. */
type Lines = [from: number, to: number];

export function editToml(text: string, at: ServersAt, changes: readonly Change[], toml: Toml): string {
  const { cst } = toml.parseDocument(text);
  const isWritten = changes.some(({ entry }) => entry !== undefined);
  if (changes.some(({ name }) => isInline(cst, [...at.path, name])) || (isWritten && isDotted(cst, at.path))) {
    return toml.patch(text, withChanges(toml.parse(text), at, changes) as object);
  }
  const lineBreak = lineBreakOf(text);
  const isOpen = text !== '' && !text.endsWith('\n');
  const lines = (isOpen ? text + lineBreak : text).split(/(?<=\n)/);
  const found: { at: Lines; section: readonly string[] | undefined }[] = [];
  const added: (readonly string[])[] = [];
  for (const { name, entry } of changes) {
    const target = [...at.path, name];
    const section = entry && sectionOf(target, entry, toml).map((line) => line + lineBreak);
    const [first, ...others] = linesOf(cst, target);
    const isReplaced = first !== undefined && isTable(cst, target);
    if (first) found.push({ at: first, section: isReplaced ? section : undefined });
    found.push(...others.map((each) => ({ at: each, section: undefined })));
    if (section && !isReplaced) added.push(section);
  }
  // Start at the end, so that the numbers of earlier lines stay valid.
  for (const { at: each, section } of found.sort((one, other) => other.at[0] - one.at[0])) {
    if (section) lines.splice(each[0] - 1, each[1] - each[0] + 1, ...section);
    else removeLines(lines, each);
  }
  let isEmpty = text.trim() === '';
  for (const section of added) {
    lines.push(...(isEmpty ? [] : [lineBreak]), ...section);
    isEmpty = false;
  }
  const edited = lines.join('');
  return isOpen ? edited.replace(/\r?\n$/, '') : edited;
}

/** Includes the blank line before the entry, unless it is needed to separate the remaining lines. */
function removeLines(lines: string[], [from, to]: Lines): void {
  const isBlank = (line: string | undefined) => line === undefined || line.trim() === '';
  const withBlank = from > 1 && isBlank(lines[from - 2]) && isBlank(lines[to]) ? 1 : 0;
  lines.splice(from - 1 - withBlank, to - from + 1 + withBlank);
}

function sectionOf(target: readonly string[], entry: object, toml: Toml): string[] {
  const value = target.reduceRight<unknown>((inner, key) => ({ [key]: inner }), entry);
  const lines = toml.stringify(value, { inlineTableStart: target.length }).trimEnd().split('\n');
  // Leave out the headers of the enclosing tables, which would be empty.
  return lines.slice(lines.findLastIndex((line) => line.startsWith('[')));
}

/** The lines of all statements of an entry: its own tables, and its keys in other tables. */
function linesOf(cst: readonly Statement[], target: readonly string[]): Lines[] {
  return cst.flatMap((statement): Lines[] => {
    if (statement.type === 'KeyValue') return startsWith(statement.key.value, target) ? [linesAt(statement)] : [];
    if (statement.type !== 'Table' && statement.type !== 'TableArray') return [];
    const table = statement.key.item.value;
    const rows = statement.items.filter((item) => item.type === 'KeyValue');
    if (startsWith(table, target))
      return [[statement.loc.start.line, rows.at(-1)?.loc.end.line ?? statement.loc.start.line]];
    return rows.filter(({ key }) => startsWith([...table, ...key.value], target)).map(linesAt);
  });
}

function linesAt({ loc }: Statement): Lines {
  return [loc.start.line, loc.end.line];
}

function isTable(cst: readonly Statement[], target: readonly string[]): boolean {
  const first = cst.find((statement) => statement.type === 'Table' && startsWith(statement.key.item.value, target)) as
    | Extract<Statement, { type: 'Table' }>
    | undefined;
  return first?.key.item.value.length === target.length;
}

/** Whether the table of the servers is defined by dotted keys (`servers.name.command = …`), which forbid a header below it. */
function isDotted(cst: readonly Statement[], path: readonly string[]): boolean {
  return rowsOf(cst).some((row) => row.table < path.length && startsWith(row.path, path));
}

/** Whether a table above the entry is written as `name = { … }`. */
function isInline(cst: readonly Statement[], target: readonly string[]): boolean {
  return rowsOf(cst).some(({ path }) => path.length < target.length && startsWith(target, path));
}

/** The path of each row, with the path of its table. */
function rowsOf(cst: readonly Statement[]): { path: string[]; table: number }[] {
  return cst.flatMap((statement) => {
    if (statement.type === 'KeyValue') return [{ path: statement.key.value, table: 0 }];
    if (statement.type !== 'Table') return [];
    const table = statement.key.item.value;
    const rows = statement.items.filter((item) => item.type === 'KeyValue');
    return rows.map(({ key }) => ({ path: [...table, ...key.value], table: table.length }));
  });
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((key, depth) => path[depth] === key);
}
