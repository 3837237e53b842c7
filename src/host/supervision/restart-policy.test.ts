import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RestartLimits } from '../../config/server-config.ts';
import { decideRestart, noHistory, type RestartHistory } from './restart-policy.ts';

const limits: RestartLimits = {
  policy: 'always',
  maxRestarts: 4,
  periodMs: 30_000,
  backoffMs: 250,
  maxBackoffMs: 30_000,
  resetAfterMs: 60_000,
};
const crash = { uptimeMs: 10, exitCode: 1, signal: null };

/** Simulates a server that always ends after `upMs`, and returns its start times. */
function life(upMs: number, untilMs: number, random = 0.5): { startsMs: number[]; failed: boolean } {
  let history: RestartHistory = noHistory;
  const startsMs = [0];
  for (;;) {
    const endedMs = startsMs.at(-1)! + upMs;
    if (endedMs > untilMs) return { startsMs, failed: false };
    const decision = decideRestart(history, { ...crash, uptimeMs: upMs }, limits, endedMs, random);
    if (!decision.restart) return { startsMs, failed: true };
    history = decision.history;
    startsMs.push(endedMs + decision.afterMs);
  }
}

test('a crash loop ends after five starts in 30 s', () => {
  const { startsMs, failed } = life(10, 60_000);
  expect(failed).toBe(true);
  expect(startsMs).toHaveLength(5);
});

test('the first restart is within a quarter of a second, and delays grow', () => {
  const { startsMs } = life(10, 60_000, 1);
  const waits = startsMs.slice(1).map((atMs, n) => atMs - startsMs[n]! - 10);
  expect(waits).toEqual([250, 500, 1000, 2000]);
});

test('a server that exits every 20 s is restarted after growing delays', () => {
  const { startsMs, failed } = life(20_000, 600_000);
  expect(failed).toBe(false);
  expect(startsMs.length).toBeLessThan(25);
});

test('only sustained uptime resets the wait', () => {
  const tired: RestartHistory = { restartsMs: [], failures: 6 };
  expect(decideRestart(tired, { ...crash, uptimeMs: 59_999 }, limits, 0, 1)).toMatchObject({ afterMs: 16_000 });
  expect(decideRestart(tired, { ...crash, uptimeMs: 60_000 }, limits, 0, 1)).toMatchObject({ afterMs: 250 });
});

test('the restart policy distinguishes exit codes', () => {
  const clean = { ...crash, exitCode: 0 };
  expect(decideRestart(noHistory, clean, { ...limits, policy: 'on-failure' }, 0, 0).restart).toBe(false);
  expect(decideRestart(noHistory, crash, { ...limits, policy: 'on-failure' }, 0, 0).restart).toBe(true);
  expect(decideRestart(noHistory, crash, { ...limits, policy: 'never' }, 0, 0).restart).toBe(false);
});

test('any sequence of exits leads to at most the allowed starts in a period', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(100_000), fc.double({ min: 0, max: 0.999, noNaN: true })), { maxLength: 60 }),
      (endings) => {
        let history: RestartHistory = noHistory;
        let nowMs = 0;
        const startsMs = [0];
        for (const [uptimeMs, random] of endings) {
          nowMs += uptimeMs;
          const decision = decideRestart(history, { ...crash, uptimeMs }, limits, nowMs, random);
          history = decision.history;
          if (!decision.restart) break;
          expect(decision.afterMs).toBeLessThanOrEqual(limits.maxBackoffMs);
          nowMs += decision.afterMs;
          startsMs.push(nowMs);
        }
        for (const from of startsMs) {
          const within = startsMs.filter((atMs) => atMs >= from && atMs < from + limits.periodMs);
          expect(within.length).toBeLessThanOrEqual(limits.maxRestarts + 1);
        }
      },
    ),
    { numRuns: 500 },
  );
});
