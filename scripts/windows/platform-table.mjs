// The table of scenarios and versions in docs/platforms.md, between two markers. A run writes the cells of the
// scenarios that it ran and keeps the others.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../prepare.mjs';

const page = join(root, 'docs/platforms.md');
const [begin, end] = ['<!-- written by npm run test:windows -->', '<!-- end of the table -->'];

/** The scenarios of the table, each with its results by major version. */
export function readTable() {
  const text = readFileSync(page, 'utf8');
  const lines = text
    .slice(text.indexOf(begin), text.indexOf(end))
    .split('\n')
    .filter((line) => line.startsWith('|'));
  const [head = [], , ...rows] = lines.map((line) => line.slice(2, -2).split(' | '));
  const versions = head.slice(1).map((cell) => cell.replace('Node ', ''));
  return new Map(
    rows.map(([title, ...cells]) => [title, Object.fromEntries(cells.map((cell, at) => [versions[at], cell]))]),
  );
}

/** `results`: by title and major version. `titles`: all rows, in order. */
export function writeTable(titles, majors, results) {
  const before = readTable();
  const cell = (title, major) => results.get(title)?.[major] ?? before.get(title)?.[major] ?? 'not run';
  const rows = titles.map((title) => `| ${[title, ...majors.map((major) => cell(title, major))].join(' | ')} |`);
  const head = `| ${['scenario', ...majors.map((major) => `Node ${major}`)].join(' | ')} |`;
  const table = [head, `|${' --- |'.repeat(majors.length + 1)}`, ...rows].join('\n');
  const text = readFileSync(page, 'utf8');
  const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
  writeFileSync(page, `${text.slice(0, from)}\n\n${table}\n\n${text.slice(to)}`);
}
