// Writes figures into a page of the documentation, between the marks that name them.

import { readFileSync, writeFileSync } from 'node:fs';

export function putFigures(file, name, text) {
  const [start, end] = [`<!-- figures: ${name} -->\n`, `<!-- /figures: ${name} -->`];
  const page = readFileSync(file, 'utf8');
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${file} has no place for the figures "${name}"`);
  writeFileSync(file, `${page.slice(0, from + start.length)}${text}\n${page.slice(to)}`);
}
