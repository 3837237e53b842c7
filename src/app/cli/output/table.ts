// Prints tables. On a terminal, a table is aligned, has a header and no empty columns, and is never wider than the window; long fields
// are wrapped. In a pipe, each row is one line with fields separated by tabs, and there is no header. Nothing is cut. The content of a
// field cannot break the layout.

import { homedir } from 'node:os';
import { shellHere } from '../../../base/command-line.ts';
import type { Colour, Paint } from '../../../base/terminal/colours.ts';
import { padToWidth, textWidth, wrapToLines, wrapToWidth } from '../../../base/terminal/text-width.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import type { Output } from './output.ts';

export interface Cell {
  text: string;
  colour?: Colour | undefined;
  /** Limit in lines on a terminal, for descriptions. */
  mostLines?: number;
}

export type Row = readonly (string | Cell)[];

export interface TableOptions {
  /** Title of a column that a terminal shows below each row over the whole width, such as a reason. */
  below?: string;
}

/** The first line of a description, wrapped to at most three lines on a terminal. */
export function describing(text: string): Cell {
  return { text: text.trim().split('\n')[0]!, mostLines: 3 };
}

const GAP = '  ';
const LEAST_WIDTH = 6;

export function printRows(
  out: Output,
  titles: readonly string[],
  rows: readonly Row[],
  options: TableOptions = {},
): void {
  if (!out.onTerminal) out.write(tabSeparated(rows));
  else if (rows.length > 0) out.write(`${tableLines(titles, rows, out.width, out.paint, options).join('\n')}\n`);
}

function tabSeparated(rows: readonly Row[]): string {
  return rows.map((row) => `${row.map((cell) => visibleLine(textOf(cell))).join('\t')}\n`).join('');
}

export function tableLines(
  allTitles: readonly string[],
  allRows: readonly Row[],
  width: number,
  paint: Paint,
  { below }: TableOptions = {},
): string[] {
  const belowAt = below === undefined ? -1 : allTitles.indexOf(below);
  const isUsed = (_: unknown, column: number) =>
    column !== belowAt && allRows.some((row) => textOf(row[column] ?? '') !== '');
  const titles = allTitles.filter(isUsed);
  const rows = allRows.map((row) => row.filter(isUsed));
  const widths = titles.map((title, column) =>
    Math.max(textWidth(title), ...rows.map((row) => textWidth(visibleLine(textOf(row[column] ?? ''))))),
  );
  narrow(widths, width - GAP.length * (titles.length - 1));
  const lines = (row: Row) => {
    const wrapped = row.map((cell, column) => wrappedCell(cell, widths[column]!));
    return Array.from({ length: Math.max(...wrapped.map(({ length }) => length)) }, (_, at) =>
      row
        .map((cell, column) => {
          const text = wrapped[column]![at] ?? '';
          const shown = column === row.length - 1 ? text : padToWidth(text, widths[column]!);
          const colour = colourOf(cell);
          return colour && text !== '' ? paint(colour, shown) : shown;
        })
        .join(GAP)
        .trimEnd(),
    );
  };
  return [
    ...lines(titles.map((text) => ({ text, colour: 'dim' }))),
    ...rows.flatMap((row, at) => [...lines(row), ...linesBelow(allRows[at]![belowAt] ?? '', width, paint)]),
  ];
}

function wrappedCell(cell: string | Cell, width: number): string[] {
  const { mostLines = Number.POSITIVE_INFINITY } = typeof cell === 'string' ? {} : cell;
  return wrapToLines(visibleLine(textOf(cell)), width, mostLines);
}

function linesBelow(cell: string | Cell, width: number, paint: Paint): string[] {
  if (textOf(cell) === '') return [];
  const colour = colourOf(cell);
  return wrapToWidth(visibleLine(textOf(cell)), width - GAP.length).map(
    (line) => GAP + (colour ? paint(colour, line) : line),
  );
}

/** The widest column is reduced first. */
function narrow(widths: number[], available: number): void {
  let tooMuch = widths.reduce((sum, width) => sum + width, 0) - available;
  while (tooMuch > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    if (widths[widest]! <= LEAST_WIDTH) return;
    widths[widest]!--;
    tooMuch--;
  }
}

function textOf(cell: string | Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

function colourOf(cell: string | Cell): Colour | undefined {
  return typeof cell === 'string' ? undefined : cell.colour;
}

/**
 * Shortens a path on a terminal: `~/project/mcp.json`. A pipe gets the whole path: programs do not expand `~`, and
 * neither do shells on Windows.
 */
export function shownPath(
  path: string,
  { onTerminal }: Pick<Output, 'onTerminal'>,
  home = homedir(),
  shell = shellHere,
): string {
  const isInside = home.length > 1 && (path === home || path.startsWith(home.endsWith('/') ? home : `${home}/`));
  return onTerminal && isInside && shell === 'posix' ? `~${path.slice(home.length)}` : path;
}

/** The part of an error message before its cause. In a table row the server is already named. */
const beginnings = [
  /^Server "[^"]*" (?:is not (?:running|connected)|cannot be reached): /,
  /^Could not connect(?: \([\w/]+\)| to \S+)?: /,
  /^Server ".*?" (?=(?:exited with|was ended by) )/,
];

/** Reason of a server state in a table. A pipe gets the whole message. */
export function shownReason(message: string, { onTerminal }: Pick<Output, 'onTerminal'>): string {
  return onTerminal ? causeOf(message) : message;
}

/** The cause in an error message: `exited with code 3 …` for `Could not connect (initialize): Server "node x.js" exited with code 3 …`. */
export function causeOf(message: string): string {
  return beginnings.reduce((text, beginning) => text.replace(beginning, ''), message);
}
