import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkLiteMcpServer } from '../../src/check/litemcp/server/check-lite-server.ts';
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

test('ids of a LiteMCP server without a text, and deep answers, lead to a report', async () => {
  const odd = { version: [1, 0, 0], id: { toString: 5 }, type: 'info', data: {} };
  const deep = `{"version":[1,0,0],"id":1,"type":"info","data":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  const program = `process.stdout.write(${JSON.stringify(`${JSON.stringify(odd)}\n\n\n${deep}\n\n\n`)});`;
  const report = await checkLiteMcpServer({ command: process.execPath, args: ['-e', program] });
  expect(report.counts.failed).toBeGreaterThan(0);
});
