// A faulty server does not stop others. The benchmarks measure how much it slows them down.

import { expect, test } from 'vitest';
import { until } from '../fixtures/server.ts';
import { counting, misbehaving, openHost, stateOf } from './run-host.ts';

test('five faulty servers do not prevent a healthy one from answering', async () => {
  const never = { restart: { policy: 'never' }, startupTimeoutMs: 1_000_000, autoStart: false };
  const ways = ['hangs', 'floods-stderr', 'prints-garbage', 'never-ends-a-line'];
  const host = await openHost({
    healthy: counting('healthy').entry,
    ...Object.fromEntries(ways.map((way) => [way, misbehaving(way, never)])),
    'crashes-at-once': misbehaving('crashes-at-once', { autoStart: false }),
  });
  await host.start();
  const bad = [...ways, 'crashes-at-once'];
  for (const name of bad) host.startServer(name).catch(() => undefined); // they never become ready
  await until('they misbehave', () => bad.every((name) => stateOf(host, name) !== 'stopped'));
  for (let at = 0; at < 100; at++) {
    const { content } = await host.callTool('healthy', 'echo', { at });
    expect(content).toEqual([{ type: 'text', text: `{"at":${at}}` }]);
  }
  expect(ways.map((name) => stateOf(host, name))).toEqual(ways.map(() => 'starting'));
});
