// One run of one command: what it was told, and where it may speak.

import type { Command } from 'commander';
import type { Output } from './output/output.ts';
import type { Settings } from './settings.ts';

export interface Invocation {
  settings: Settings;
  /** The words behind `--`: a server, started for the purpose. */
  serverCommand: readonly string[] | undefined;
  out: Output;
  /** Aborts when the command is to end. */
  signal: AbortSignal;
}

type Values = Record<string, unknown>;

/** A file of `commands/`. */
export interface CommandModule {
  /** Says what the command takes; its `run` is called by whoever calls this. */
  define(command: Command, run: RunCommand): void;
}

/** Resolves to the exit code; 0 where there is none. */
export type CommandBody = (invocation: Invocation, words: string[], options: Values) => Promise<number | undefined>;
export type RunCommand = (body: CommandBody) => (...commanderArguments: unknown[]) => Promise<void>;
