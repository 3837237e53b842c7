// A config that a program hands over instead of a file: the shape that people have in their files, and the same checks.
// Nobody is waited for: an `envFile` is read at once, and inputs have the values that the environment or their default give.

import { readFileSync } from 'node:fs';
import { toError, UsageError } from '../base/errors.ts';
import type { Era, Revision } from '../mcp/revisions.ts';
import type { StopWaits } from '../process/tree/stop-ladder.ts';
import { readForm, settleForm } from './config-file.ts';
import { decodeText } from './disk.ts';
import { inputsAtHand } from './inputs.ts';
import type { namesOfOthers, remoteKeys, replacements } from './known-keys.ts';
import { type Config, mergeFiles } from './load-config.ts';
import type { ConfigPlace } from './places.ts';
import { surroundings } from './places.ts';
import { GIVEN, problemError } from './problem.ts';
import type { RestartLimits, ToolRules } from './server-config.ts';

/** `mcpServers` of Claude Desktop and Cursor, or `servers` of VS Code. docs/config.md explains every key. */
export interface GivenConfig {
  mcpServers?: Readonly<Record<string, GivenServer>>;
  servers?: Readonly<Record<string, GivenServer>>;
  inputs?: readonly object[];
}

/** A slip in a key is a type error. */
export type GivenServer = OwnKeys & KeysOfOthers;

interface OwnKeys {
  command?: string | undefined;
  args?: readonly string[] | undefined;
  /** What is undefined is left out. */
  env?: Readonly<Record<string, string | number | null | undefined>> | undefined;
  envFile?: string | undefined;
  cwd?: string | undefined;
  enabled?: boolean | undefined;
  disabled?: boolean | undefined;
  autoStart?: boolean | undefined;
  protocol?: 'mcp' | 'litemcp' | undefined;
  framing?: string | undefined;
  era?: 'auto' | Era | undefined;
  revision?: Revision | undefined;
  startupTimeoutMs?: number | undefined;
  requestTimeoutMs?: number | undefined;
  pingTimeoutMs?: number | undefined;
  maxFrameBytes?: number | undefined;
  maxFrameValues?: number | undefined;
  restart?: RestartLimits['policy'] | Partial<RestartLimits> | undefined;
  stop?: Partial<StopWaits> | undefined;
  keepDaemons?: boolean | undefined;
  tools?: ToolRules | readonly string[] | undefined;
  type?: string | undefined;
}

/** Keys that other hosts have, and comments. docs/config.md says what becomes of them. */
type KeysOfOthers = {
  [key in
    | (typeof remoteKeys)[number]
    | (typeof namesOfOthers)[number]
    | keyof typeof replacements
    | 'headers']?: unknown;
} & { [comment: `//${string}` | `_${string}` | `#${string}`]: unknown };

export function isGivenConfig(value: unknown): value is GivenConfig {
  return typeof value === 'object' && value !== null && ('mcpServers' in value || 'servers' in value);
}

/** Throws if it is no config at all. What is wrong with an entry is in `problems`, and takes that entry out of the game. */
export function configOf(given: GivenConfig): Config {
  if (typeof given === 'string') {
    throw new UsageError('INVALID_OPTION', 'A host needs a config object, not a file name', {
      hint: `await Host.open(${JSON.stringify(given)}) reads the file.`,
    });
  }
  const around = surroundings();
  const place: ConfigPlace = { file: GIVEN, origin: 'named', folder: around.cwd };
  const form = readForm(asText(given), place, around.platform);
  const { definitions } = form;
  const inputs = inputsAtHand(form.inputIds, definitions, around);
  const file = settleForm(form, place, { ...around, folder: place.folder, definitions, inputs }, textOf);
  if (!file.usable) throw problemError(file.problems.find(({ severity }) => severity === 'error')!);
  return mergeFiles([file], []);
}

function asText(given: unknown): string {
  try {
    return JSON.stringify(given) ?? 'null';
  } catch (cause) {
    throw new UsageError('CONFIG_INVALID', `The given config cannot be written as JSON: ${toError(cause).message}`, {
      hint: 'A config is plain JSON data, as in a file.',
      cause,
    });
  }
}

function textOf(file: string): string | Error {
  try {
    return decodeText(readFileSync(file));
  } catch (error) {
    return toError(error);
  }
}
