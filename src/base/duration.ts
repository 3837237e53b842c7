// Durations as users write them, in options of the command line and in configs.

import { LONGEST_TIMER_MS } from './clock.ts';

const units: Readonly<Record<string, number>> = { '': 1, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Parses `500`, `500ms`, `30s`, `1.5m` or `2h` to milliseconds. Returns undefined if the text is not a duration that a
 * timer can wait for.
 */
export function readDuration(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  const ms = Math.round(Number(amount) * units[unit ?? '']!);
  return amount !== undefined && ms > 0 && ms <= LONGEST_TIMER_MS ? ms : undefined;
}

/** Formats `90000` as `90s`, with the largest unit that divides the value evenly. */
export function durationText(ms: number): string {
  const [unit, size] = Object.entries(units).findLast(([, size]) => ms % size === 0)!;
  return `${ms / size}${unit}`;
}

/** A wait for people to read: `250 ms`, `18.4 s`, `2 min`. */
export function waitText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(1))} s`;
  return `${Number((ms / 60_000).toFixed(1))} min`;
}
