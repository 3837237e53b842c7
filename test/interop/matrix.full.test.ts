// Every pair of ours and an official client or server, in every revision that both support, over real pipes and real
// HTTP: each family of methods is used, each of our messages is checked against the official schemas, and the outcomes
// are the table in docs/interop.md. UPDATE_INTEROP=1 rewrites the table.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { type Family, families, type Outcome, outcomeOf } from './families.ts';
import { type MatrixRow, matrixMarkdown, replaceMatrix } from './matrix-table.ts';
import { makeRows, type Row } from './rows.ts';
import { checkWire } from './wire-check.ts';

const pagePath = fileURLToPath(new URL('../../docs/interop.md', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'standpipe-interop-'));
writeFileSync(join(folder, 'hello.txt'), 'hello');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rows = makeRows(folder);
const found = new Map<Row, MatrixRow['outcomes']>();

describe.concurrent('the matrix', () => {
  test.each(rows)('our $ours with $peer over $over, $revision', async (row) => {
    const client = await row.open();
    const outcomes = {} as Record<Family, Outcome>;
    try {
      expect(client.revision).toBe(row.revision);
      for (const family of families) outcomes[family] = await outcomeOf(() => row.checks[family](client));
    } finally {
      await client.close();
    }
    found.set(row, outcomes);
    const { checked, violations } = checkWire(client.wire(), row.ours);
    expect(Object.entries(outcomes).filter(([, { kind }]) => kind === 'fails')).toEqual([]);
    expect(violations).toEqual([]);
    expect(checked).toBeGreaterThan(10);
  });
});

test('docs/interop.md shows these outcomes', () => {
  const matrix = matrixMarkdown(rows.map((row) => ({ ...row, outcomes: found.get(row)! })));
  const page = readFileSync(pagePath, 'utf8');
  const updated = replaceMatrix(page, matrix);
  if (process.env.UPDATE_INTEROP) writeFileSync(pagePath, updated);
  else expect(updated).toBe(page);
});
