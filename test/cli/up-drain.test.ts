// SIGTERM to `up --http` during a call: the host refuses new requests, and exits when the call has ended.

import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modernHeaders, modernMeta } from '../fixtures/gateway/modern-request.ts';
import { until } from '../fixtures/server.ts';
import { lacks } from '../fixtures/windows.ts';
import { fixturePath, folder, gatewayIn, startCli, writeConfig } from './run-cli.ts';

const name = 'wait';
const request = {
  method: 'POST',
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, _meta: modernMeta },
  }),
};

test.skipIf(lacks.signals)('a call in flight completes before the host exits', async () => {
  const env = { WAITING: join(folder, 'waiting'), GO: join(folder, 'go') };
  const entry = { command: process.execPath, args: [fixturePath('ends-when-told.mjs')], env };
  const config = writeConfig('drain.json', { told: entry });
  const up = startCli(['up', '--no-inspector', '--config', config, '--http', '0', '--drain', '1h']);
  let log = '';
  up.stdout.on('data', (chunk) => (log += chunk));
  const ended = once(up, 'close');
  try {
    await until('it serves', () => gatewayIn(log) !== undefined);
    const { url, token } = gatewayIn(log)!;
    const headers = {
      authorization: `Bearer ${token}`,
      ...modernHeaders('tools/call', name),
    };
    const call = fetch(`${url}/told`, { ...request, headers });
    await until('the call runs', () => existsSync(env.WAITING));
    up.kill('SIGTERM');
    const { origin } = new URL(url);
    await expect.poll(async () => (await fetch(`${origin}/readyz`)).status, { timeout: 30_000 }).toBe(503);
    expect((await fetch(`${url}/told`, { ...request, headers })).status).toBe(503);
    writeFileSync(env.GO, '');
    expect(await (await call).text()).toContain('done');
    expect(await ended).toEqual([0, null]);
  } finally {
    up.kill('SIGKILL');
    await ended;
  }
});
