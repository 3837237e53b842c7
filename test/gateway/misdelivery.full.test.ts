// 50 clients of both eras that all number their requests from 0 and use the same progress tokens, with servers of both eras. Gateway,
// servers and clients run in separate processes. STANDPIPE_CALLS sets the number of calls, 1,000 by default.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { gatewayIn, startCli, writeConfig } from '../cli/run-cli.ts';
import { until } from '../fixtures/server.ts';

const calls = Number(process.env.STANDPIPE_CALLS ?? 1000);
const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/gateway/${name}`, import.meta.url));

test(`${calls} calls of 50 clients with equal ids and progress tokens are answered only to their own clients`, async () => {
  const entry = (revision: string) => ({
    command: process.execPath,
    args: [fixture('says-who-called.mjs')],
    revision,
  });
  const config = writeConfig('misdelivery.json', { legacy: entry('2025-11-25'), modern: entry('2026-07-28') });
  const up = startCli(['up', '--no-inspector', '--config', config, '--http', '0']);
  let log = '';
  up.stdout.on('data', (chunk) => (log += chunk));
  const ended = once(up, 'close');
  try {
    await until('it serves', () => gatewayIn(log) !== undefined);
    const { url, token } = gatewayIn(log)!;
    const { stdout } = await promisify(execFile)(process.execPath, [
      fixture('many-clients.mjs'),
      url,
      token,
      '50',
      String(calls),
    ]);
    const report = JSON.parse(stdout);
    if (calls > 1000) process.stderr.write(stdout);
    expect(report).toMatchObject({ made: calls, misdelivered: 0, examples: [] });
    expect(report.progressed).toBeGreaterThan(calls / 4);
  } finally {
    up.kill('SIGTERM');
    await ended;
  }
}, 7_200_000);
