// Tables. On a terminal: aligned, with a header, without empty columns, never wider than the window. In a pipe: one line per row, fields separated by
// tabs, not cut, without a header. The content of a field cannot break the layout.

import type { Colour, Paint } from '../../base/terminal/colours.ts';
import { cutToWidth, padToWidth, textWidth } from '../../base/terminal/text-width.ts';
import { visibleLine } from '../../base/terminal/visible.ts';
import type { Output } from './output.ts';

export interface Cell {
  text: string;
  colour?: Colour | undefined;
}

export type Row = readonly (string | Cell)[];

const GAP = '  ';
/** The minimum width of a column, also in a narrow window. */
const LEAST_WIDTH = 6;

export function printRows(out: Output, titles: readonly string[], rows: readonly Row[]): void {
  if (!out.onTerminal) out.write(tabSeparated(rows));
  else if (rows.length > 0) out.write(`${tableLines(titles, rows, out.width, out.paint).join('\n')}\n`);
}

function tabSeparated(rows: readonly Row[]): string {
  return rows.map((row) => `${row.map((cell) => visibleLine(textOf(cell))).join('\t')}\n`).join('');
}

export function tableLines(
  allTitles: readonly string[],
  allRows: readonly Row[],
  width: number,
  paint: Paint,
): string[] {
  const isUsed = (_: unknown, column: number) => allRows.some((row) => textOf(row[column] ?? '') !== '');
  const titles = allTitles.filter(isUsed);
  const rows = allRows.map((row) => row.filter(isUsed));
  const cells = rows.map((row) => row.map((cell) => visibleLine(textOf(cell))));
  const widths = titles.map((title, column) =>
    Math.max(textWidth(title), ...cells.map((row) => textWidth(row[column] ?? ''))),
  );
  narrow(widths, width - GAP.length * (titles.length - 1));
  const line = (texts: readonly string[], colours: (column: number) => Colour | undefined) =>
    texts
      .map((text, column) => {
        const cut = cutToWidth(text, widths[column]!);
        const shown = column === texts.length - 1 ? cut : padToWidth(cut, widths[column]!);
        const colour = colours(column);
        return colour ? paint(colour, shown) : shown;
      })
      .join(GAP)
      .trimEnd();
  return [
    line(titles, () => 'dim'),
    ...cells.map((texts, row) => line(texts, (column) => colourOf(rows[row]![column]!))),
  ];
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
