// Decides whether and when a server that exited is restarted, as a pure function of its history. Too many starts within `periodMs` are a
// crash loop, which ends in `failed`. Delays grow with every failure; sustained uptime resets them.

import type { RestartLimits } from '../../config/server-config.ts';

export interface RestartHistory {
  /** Times of restarts, oldest first. */
  readonly restartsMs: readonly number[];
  /** Consecutive failures without sustained uptime between them. */
  readonly failures: number;
}

export interface ProcessEnding {
  /** How long the server had been ready; 0 if it never was. */
  uptimeMs: number;
  exitCode: number | null;
  signal: string | null;
}

type RestartDecision =
  | { restart: true; afterMs: number; history: RestartHistory }
  | { restart: false; reason: string; history: RestartHistory };

export const noHistory: RestartHistory = { restartsMs: [], failures: 0 };

/** `random`: 0 ≤ x < 1. Spreads the restarts of servers that failed together. */
export function decideRestart(
  history: RestartHistory,
  ending: ProcessEnding,
  limits: RestartLimits,
  nowMs: number,
  random: number,
): RestartDecision {
  const failures = ending.uptimeMs >= limits.resetAfterMs ? 1 : history.failures + 1;
  const recent = history.restartsMs.filter((atMs) => atMs > nowMs - limits.periodMs);
  const past = { restartsMs: recent, failures };
  if (limits.policy === 'never') return { restart: false, reason: 'the restart policy is "never"', history: past };
  if (limits.policy === 'on-failure' && ending.exitCode === 0) {
    return { restart: false, reason: 'it exited with code 0, and the restart policy is "on-failure"', history: past };
  }
  if (recent.length >= limits.maxRestarts) {
    const seconds = Math.round(limits.periodMs / 1000);
    const times = recent.length === 0 ? 'once' : `${recent.length + 1} times`;
    return { restart: false, reason: `it was started ${times} within ${seconds} s`, history: past };
  }
  const backoffMs = Math.min(limits.backoffMs * 2 ** (failures - 1), limits.maxBackoffMs);
  // The delay is random, between half of it and all of it, so that delays still grow.
  const afterMs = Math.round(backoffMs * (0.5 + random / 2));
  return { restart: true, afterMs, history: { restartsMs: [...recent, nowMs + afterMs], failures } };
}
