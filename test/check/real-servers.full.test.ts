// The check on our servers and those of others, in the newest revision of each era. docs/interop.md shows the results. A usual run tests
// only rules that need no separate process; CHECK_ALL_RULES=1 tests all rules, and with UPDATE_INTEROP=1 writes the page.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { checkServer } from '../../src/check/server/check-server.ts';
import { serverRules } from '../../src/check/server/rules/index.ts';
import { NEWEST_LEGACY, NEWEST_MODERN } from '../../src/mcp/revisions.ts';
import { realServers } from '../fixtures/check/real-servers.mjs';
import { readViolations, replaceResults, resultsMarkdown, violationsOf } from './results-table.ts';

const pagePath = join(import.meta.dirname, '../../docs/interop.md');
const page = readFileSync(pagePath, 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'standpipe-check-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const servers = realServers(folder);
const all = process.env.CHECK_ALL_RULES !== undefined;
/** Rules that send megabytes are tested only on our servers. */
const cheapFor = (name: string) =>
  serverRules
    .filter(({ uses, isHeavy }) => uses !== 'own' && (!isHeavy || name.startsWith('our ')))
    .map(({ id }) => id);
const reports = new Map<string, Awaited<ReturnType<typeof checkServer>>>();

describe.each(servers)('$name', ({ name, missing, ...options }) => {
  test.skipIf(missing !== undefined)('has the violations that docs/interop.md lists', async () => {
    const revisions = [NEWEST_MODERN, NEWEST_LEGACY];
    const cheap = cheapFor(name);
    const report = await checkServer({ ...options, revisions, timeoutMs: 60_000, only: all ? [] : cheap });
    reports.set(name, report);
    const violated = violationsOf(report.outcomes).filter(({ rule }) => all || cheap.includes(rule));
    const known = readViolations(page, name).filter(({ rule }) => all || cheap.includes(rule));
    if (name.startsWith('our ')) expect(violationsOf(report.outcomes)).toEqual([]);
    else if (!process.env.UPDATE_INTEROP) expect(violated).toEqual(known);
  });
});

test.runIf(all)('docs/interop.md shows the results', () => {
  expect(servers.filter(({ missing }) => missing !== undefined)).toEqual([]);
  const updated = replaceResults(page, resultsMarkdown(reports));
  if (process.env.UPDATE_INTEROP) writeFileSync(pagePath, updated);
  else expect(updated).toBe(page);
});
