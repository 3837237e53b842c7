// Reads a config that is passed as an object instead of a file, with the same structure and checks. Synchronous: inputs get their
// values from the environment or their defaults.

import { readFileSync } from 'node:fs';
import { toError, UsageError } from '../base/errors.ts';
import { expandForm, readForm } from './config-file.ts';
import { resolveInputsSync } from './expand/variables.ts';
import { decodeFile } from './files/disk.ts';
import { type Config, mergeFiles } from './files/load-config.ts';
import type { ConfigPlace } from './files/places.ts';
import { type LockMode, lockedConfig } from './lock/server-lock.ts';
import { GIVEN, problemError } from './problem.ts';
import { parseDocument } from './read/json-document.ts';
import type { formatsOfRemotes, keysOfOthers, replacements } from './read/keys.ts';
import type {
  CommandConfig,
  Place,
  RemoteConfig,
  RestartLimits,
  ServerSettings,
  SharePolicy,
  ToolRules,
} from './server-config.ts';
import { systemContext } from './system-context.ts';

/** `mcpServers` of Claude Desktop and Cursor, or `servers` of VS Code. docs/config.md explains every key. */
export interface GivenConfig {
  mcpServers?: Readonly<Record<string, GivenServer>>;
  servers?: Readonly<Record<string, GivenServer>>;
  inputs?: readonly object[];
  locked?: LockMode;
}

/** A misspelled key is a type error. */
export type GivenServer = { [key in keyof OwnKeys]?: OwnKeys[key] | undefined } & KeysOfOthers;

type Settings = Omit<
  ServerSettings,
  'name' | 'source' | 'secrets' | 'unlisted' | 'restart' | 'share' | 'tools' | 'lock'
>;
type OfCommand = 'command' | 'args' | 'cwd' | 'protocol' | 'framing' | 'stop' | 'keepDaemons';
type OfRemote = 'url' | 'headers' | 'oauth' | 'ca';

interface OwnKeys extends Settings, Pick<CommandConfig, OfCommand>, Pick<RemoteConfig, OfRemote> {
  /** Undefined members are ignored. */
  env: Readonly<Record<string, string | number | null | undefined>>;
  envFile: string;
  disabled: boolean;
  restart: RestartLimits['policy'] | Partial<RestartLimits>;
  share: SharePolicy['by'] | Partial<SharePolicy>;
  tools: ToolRules | readonly string[];
  place: Partial<Place>;
  type: string;
}

/** Keys of other hosts, and comments. docs/config.md explains how they are treated. */
type KeysOfOthers = {
  [key in keyof typeof formatsOfRemotes | keyof typeof keysOfOthers | keyof typeof replacements]?: unknown;
} & { [comment: `//${string}` | `_${string}` | `#${string}`]: unknown };

export function isGivenConfig(value: unknown): value is GivenConfig {
  return typeof value === 'object' && value !== null && ('mcpServers' in value || 'servers' in value);
}

/** Throws if the value is not a config. An error in an entry is added to `problems` and disables only that entry. */
export function configOf(given: GivenConfig): Config {
  if (typeof given === 'string') {
    throw new UsageError('INVALID_OPTION', 'A host needs a config object, not a file name', {
      hint: `await Host.open(${JSON.stringify(given)}) reads the file.`,
    });
  }
  const context = systemContext();
  const place: ConfigPlace = { file: GIVEN, origin: 'named', folder: context.cwd };
  const form = readForm(parseDocument(asText(given), GIVEN), place, context.platform);
  const { definitions } = form;
  const inputs = resolveInputsSync(form.inputIds, definitions, context);
  const file = expandForm(form, place, { ...context, folder: place.folder, definitions, inputs }, textOf);
  if (!file.usable) throw problemError(file.problems.find(({ severity }) => severity === 'error')!);
  const servers = file.servers.map((server) => lockedConfig(server, undefined)); // an object has no lock beside it
  return mergeFiles([{ ...file, servers }], []);
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
    return decodeFile(readFileSync(file));
  } catch (error) {
    return toError(error);
  }
}
