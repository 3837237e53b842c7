// One run of a command: its settings, its output, and its signal; and the options common to all commands.

import type { Command } from 'commander';
import { readDuration } from '../../base/duration.ts';
import { UsageError } from '../../base/errors.ts';
import type { Output } from './output/output.ts';

export interface Invocation {
  settings: Settings;
  /** The words after `--`: a server that is started for this command. */
  serverCommand: readonly string[] | undefined;
  out: Output;
  /** Aborts when the command must end. */
  signal: AbortSignal;
}

type Values = Record<string, unknown>;

export interface CommandModule {
  /** Defines the arguments, options and action of the command. `run` makes the action. */
  define(command: Command, run: RunCommand): void;
}

/** Resolves to the exit code; undefined means 0. */
export type CommandBody = (invocation: Invocation, words: string[], options: Values) => Promise<number | undefined>;
export type RunCommand = (body: CommandBody) => (...commanderArguments: unknown[]) => Promise<void>;

export interface Settings {
  config?: string | undefined;
  discover?: boolean | undefined;
  /** Use the shared host, which runs the servers given to `connect`, instead of the host of a config. */
  shared?: boolean | undefined;
  /** Use the host of this fleet node, which has no config. */
  node?: string | undefined;
  /** Use the host with this socket. Set only by commands that have stored the socket. */
  control?: string | undefined;
  /** Do not look for a running host. Set only by commands that have stored a server. */
  alone?: boolean | undefined;
  json?: boolean | undefined;
  verbose?: boolean | undefined;
  timeoutMs?: number | undefined;
}

/** Time in ms without clients after which a host started by `connect` ends. */
export const DEFAULT_IDLE_MS = 10 * 60_000;

/** Parses `500`, `500ms`, `30s`, `1.5m` or `2h`. */
export const durationOf =
  (option: string) =>
  (text: string): number => {
    const ms = readDuration(text);
    if (ms !== undefined) return ms;
    throw new UsageError('INVALID_OPTION', `${option} cannot be "${text}"`, {
      hint: 'Write milliseconds, or a number with its unit: 500, 500ms, 30s, 2m, 2h.',
    });
  };

export function invalidOption(message: string, hint?: string, cause?: unknown): UsageError {
  return new UsageError('INVALID_OPTION', message, { hint, cause });
}
