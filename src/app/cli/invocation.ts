// One run of a command: its settings, its output, and its signal.

import type { Command } from 'commander';
import type { Output } from './output/output.ts';
import type { Settings } from './settings.ts';

export interface Invocation {
  settings: Settings;
  /** The words after `--`: a server that is started for this command. */
  serverCommand: readonly string[] | undefined;
  out: Output;
  /** Aborts when the command must end. */
  signal: AbortSignal;
}

type Values = Record<string, unknown>;

/** Exports of a file in `commands/`. */
export interface CommandModule {
  /** Defines the arguments, options and action of the command. `run` makes the action. */
  define(command: Command, run: RunCommand): void;
}

/** Resolves to the exit code; undefined means 0. */
export type CommandBody = (invocation: Invocation, words: string[], options: Values) => Promise<number | undefined>;
export type RunCommand = (body: CommandBody) => (...commanderArguments: unknown[]) => Promise<void>;
