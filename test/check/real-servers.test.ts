// The whole check on servers of others and of ours. What was found is a table in docs/interop.md. UPDATE_INTEROP=1 writes it anew.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { CheckReport } from '../../src/check/report/report.ts';
import { checkServer } from '../../src/check/server/check-server.ts';
import { realServers } from '../fixtures/check/real-servers.mjs';
import { replaceResults, resultsMarkdown } from './results-table.ts';

const pagePath = join(import.meta.dirname, '../../docs/interop.md');
const folder = mkdtempSync(join(tmpdir(), 'standpipe-check-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const servers = realServers(folder);
const reports = new Map<string, CheckReport>();

describe.each(servers)('$name', ({ name, missing, ...options }) => {
  test.skipIf(missing !== undefined)('is checked', async () => {
    const report = await checkServer({ ...options, timeoutMs: 60_000 });
    reports.set(name, report);
    const violated = report.outcomes.filter(({ status }) => status === 'failed' || status === 'warning');
    if (name.startsWith('our ')) expect(violated).toEqual([]);
  });
});

test.skipIf(servers.some(({ missing }) => missing !== undefined))('docs/interop.md shows what was found', () => {
  const page = readFileSync(pagePath, 'utf8');
  const updated = replaceResults(page, resultsMarkdown(reports));
  if (process.env.UPDATE_INTEROP) writeFileSync(pagePath, updated);
  else expect(updated).toBe(page);
});
