// Options common to all commands.

import { LONGEST_TIMER_MS } from '../../base/clock.ts';
import { UsageError } from '../../base/errors.ts';

export interface Settings {
  /** The config file, if one was named. */
  config?: string | undefined;
  discover?: boolean | undefined;
  /** Use the shared host, which runs the servers given to `connect`, instead of the host of a config. */
  shared?: boolean | undefined;
  /** Use the host of this fleet node, which has no config. */
  node?: string | undefined;
  json?: boolean | undefined;
  verbose?: boolean | undefined;
  timeoutMs?: number | undefined;
}

/** Time in ms without clients after which a host started by `connect` ends. */
export const DEFAULT_IDLE_MS = 10 * 60_000;

const units: Record<string, number> = { '': 1, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `500`, `500ms`, `30s`, `1.5m`, `2h`. */
export const durationOf =
  (option: string) =>
  (text: string): number => {
    const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
    const ms = Math.round(Number(amount) * units[unit ?? '']!);
    if (amount !== undefined && ms > 0 && ms <= LONGEST_TIMER_MS) return ms;
    throw new UsageError('INVALID_OPTION', `${option} cannot be "${text}"`, {
      hint: 'Write milliseconds, or a number with its unit: 500, 500ms, 30s, 2m, 2h.',
    });
  };

/** `90000` as `90s`: the largest unit that divides the value evenly. */
export function durationText(ms: number): string {
  const [unit, size] = Object.entries(units).findLast(([, size]) => ms % size === 0)!;
  return `${ms / size}${unit}`;
}
