// Renders the matrix as Markdown, and places it in a page.

import { type Family, families, type Outcome } from './families.ts';

export interface MatrixRow {
  ours: 'client' | 'server';
  over: 'stdio' | 'HTTP';
  peer: string;
  revision: string;
  outcomes: Record<Family, Outcome>;
}

const BEGIN = '<!-- begin of what the test writes -->';
const END = '<!-- end of what the test writes -->';
const digits = [...'⁰¹²³⁴⁵⁶⁷⁸⁹'];

export function matrixMarkdown(rows: MatrixRow[]): string {
  const notes: string[] = [];
  const numberOf = (why: string) => {
    if (!notes.includes(why)) notes.push(why);
    return superscript(notes.indexOf(why) + 1);
  };
  const cell = (outcome: Outcome) => {
    if (outcome.kind === 'works') return '✓';
    return `${outcome.kind === 'absent' ? '–' : '✗'}${numberOf(outcome.why)}`;
  };
  const table = (side: MatrixRow['ours'], way: MatrixRow['over']) => {
    const found = rows
      .filter(({ ours, over }) => ours === side && over === way)
      .map(({ peer, revision, outcomes }) => [peer, revision, ...families.map((each) => cell(outcomes[each]))]);
    return [`### Our ${side}, over ${way}`, '', ...grid(['', 'revision', ...families], merged(found)), ''];
  };
  const ways = ['stdio', 'HTTP'] as const;
  const tables = ways.flatMap((way) => [...table('client', way), ...table('server', way)]);
  return [...tables, ...notes.map((why, n) => `${superscript(n + 1)} ${why}  `)].join('\n');
}

export function replaceMatrix(page: string, matrix: string): string {
  return replaceBetween(page, BEGIN, END, matrix.trimEnd());
}

/** Replaces the text between two markers of a page. */
export function replaceBetween(page: string, begin: string, end: string, text: string): string {
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`The page has no "${begin}" … "${end}"`);
  return `${before}${begin}\n\n${text}\n\n${end}${after}`;
}

/** Merges the rows of revisions with equal outcomes. */
function merged(rows: string[][]): string[][] {
  const lines: string[][] = [];
  for (const row of rows) {
    const last = lines.at(-1);
    const isSame = last?.every((cell, column) => column === 1 || cell === row[column]);
    if (isSame) last![1] += `<br>${row[1]}`;
    else lines.push([...row]);
  }
  return lines;
}

/** Formats the table: two columns aligned left, the others centred. */
function grid(head: string[], rows: string[][]): string[] {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column]!.length)));
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => (column < 2 ? cell.padEnd(widths[column]!) : centred(cell, widths[column]!))).join(' | ')} |`;
  const rule = widths.map((width, column) => (column < 2 ? '-'.repeat(width) : `:${'-'.repeat(width - 2)}:`));
  return [line(head), line(rule), ...rows.map(line)];
}

function centred(cell: string, width: number): string {
  return cell.padStart(cell.length + Math.floor((width - cell.length) / 2)).padEnd(width);
}

function superscript(number: number): string {
  return [...`${number}`].map((digit) => digits[Number(digit)]).join('');
}
