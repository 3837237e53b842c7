import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkServer } from '../../src/check/server/check-server.ts';

const server = fileURLToPath(new URL('../fixtures/check/answers-oddly.mjs', import.meta.url));

test('answers of any kind lead to a report: deep ones, many, names of the prototype, objects without a text', async () => {
  const report = await checkServer({
    command: process.execPath,
    args: [server],
    revisions: ['2026-07-28', '2025-06-18'],
    skip: ['robustness', 'wire'],
  });
  expect(report.revisions).toEqual(['2026-07-28', '2025-06-18']);
  expect(report.counts.failed).toBeGreaterThan(0);
});
