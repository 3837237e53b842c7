// Nothing that one server does slows another.

import { expect, test } from 'vitest';
import { until } from '../fixtures/server.ts';
import { counting, misbehaving, openHost, stateOf } from './run-host.ts';

test('five servers that misbehave do not slow a healthy one: its p99 is at most twice as long', {
  timeout: 120_000,
  retry: 2,
}, async () => {
  const never = { restart: { policy: 'never' }, startupTimeoutMs: 120_000, autoStart: false };
  const ways = ['hangs', 'floods-stderr', 'prints-garbage', 'never-ends-a-line'];
  const host = await openHost({
    healthy: counting('healthy').entry,
    ...Object.fromEntries(ways.map((way) => [way, misbehaving(way, never)])),
    'crashes-at-once': misbehaving('crashes-at-once', { autoStart: false }),
  });
  await host.start();
  const bad = [...ways, 'crashes-at-once'];
  const p99 = async () => {
    const times: number[] = [];
    for (let at = 0; at < 5000; at++) {
      const started = performance.now();
      await host.callTool('healthy', 'echo', { at });
      times.push(performance.now() - started);
    }
    return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]!;
  };
  await p99(); // warm
  const rounds: { alone: number; beside: number }[] = [];
  for (let round = 0; round < 5; round++) {
    const alone = await p99();
    for (const name of bad) host.startServer(name).catch(() => undefined); // they never become ready
    await until('they misbehave', () => bad.every((name) => stateOf(host, name) !== 'stopped'));
    rounds.push({ alone, beside: await p99() });
    await Promise.all(bad.map((name) => host.stopServer(name)));
  }
  const ratios = rounds.map(({ alone, beside }) => beside / alone).sort((a, b) => a - b);
  const shown = rounds.map(({ alone, beside }) => `${alone.toFixed(1)} → ${beside.toFixed(1)} ms`).join(', ');
  console.info(
    `p99 alone → beside five that misbehave: ${shown}; best ratio ${ratios[0]!.toFixed(2)}, median ${ratios[2]!.toFixed(2)}`,
  );
  expect(ratios[2]).toBeLessThanOrEqual(2);
});
