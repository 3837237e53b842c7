// Servers that start more slowly than they did when the check began, as on a busy machine. The first processes start at once, later ones after
// more than the timeout: counters are files in a folder.

import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { textOf } from '../../src/check/report/text.ts';
import { type CheckServerOptions, checkServer } from '../../src/check/server/check-server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const folder = temporaryFolder('slow starts');
const TIMEOUT_MS = 3_000;

/** `fast`: the number of processes that start at once. `delayMs`: the start of the others. `code`: may handle a message. */
async function check(
  fast: number,
  delayMs: number,
  only: string[],
  code = '',
  options: Partial<CheckServerOptions> = {},
) {
  const counter = mkdtempSync(join(folder, 'starts '));
  const server = `
    const { readdirSync, writeFileSync } = require('node:fs');
    writeFileSync(${JSON.stringify(join(counter, 'x'))} + process.pid, '');
    if (readdirSync(${JSON.stringify(counter)}).length > ${fast})
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${delayMs});
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    const answer = ({ id, method, params = {} }) => {
      const isDone = (() => { ${code} })();
      if (isDone || id === undefined) return;
      const serverInfo = { name: 'slow', version: '1' };
      if (method === 'initialize') return send({ id, result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo } });
      if (method === 'ping') return send({ id, result: {} });
      send({ id, error: { code: -32601, message: 'Method not found' } });
    };
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => answer(JSON.parse(line)));`;
  const revisions = ['2025-11-25'] as const;
  const target = { command: process.execPath, args: ['-e', server] };
  const report = await checkServer({ ...target, timeoutMs: TIMEOUT_MS, revisions, only, ...options });
  const violated = report.outcomes.filter(({ status }) => /failed|warning|advice/.test(status));
  return { report, violated: violated.map(({ rule }) => rule), text: textOf(report) };
}

const ONLY = ['lifecycle/opens', 'lifecycle/known-versions', 'lifecycle/unknown-version', 'wire/text-survives'];

test.concurrent('a server whose later processes start slowly violates no rule', async () => {
  const { violated, report, text } = await check(1, 2 * TIMEOUT_MS, ONLY);
  expect(violated, text).toEqual([]);
  expect(report.counts.passed).toBeGreaterThan(1);
});

test.concurrent('rules are not tested in time if a start takes too long', async () => {
  const { violated, report, text } = await check(1, 10 * TIMEOUT_MS, ['lifecycle/unknown-version'], '', {
    limitMs: 300_000,
  });
  expect(violated, text).toEqual([]);
  expect(report.outcomes).toMatchObject([{ status: 'not applicable', untested: true }]);
  expect(report.outcomes[0]!.reason).toMatch(/starts too slowly: raise --timeout/);
});

test.concurrent('a server that does not answer one version violates the rule about it', async () => {
  const code = `return method === 'initialize' && params.protocolVersion.startsWith('1999');`;
  const { violated, text } = await check(1_000, 0, ONLY, code);
  expect(violated, text).toEqual(['lifecycle/unknown-version']);
  expect(text).toContain('There was no answer to `initialize` of 1999-01-01 within 3 s.');
});
