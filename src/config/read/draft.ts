// An entry of a config, validated and not yet expanded: everything that needs no other file and no variable. With an error in the
// findings there is no draft.

import type { Node } from 'jsonc-parser';
import { toError } from '../../base/errors.ts';
import { framingByName, framingNames } from '../../framing/by-name.ts';
import { LARGEST_MAX_FRAME_BYTES } from '../../framing/framing.ts';
import { eraOf, erasOfMcp, revisionsOfMcp } from '../../mcp/revisions.ts';
import { didYouMean, nearest } from '../nearest.ts';
import type { Findings } from '../problem.ts';
import { defaultSettings as defaults, type ServerConfig } from '../server-config.ts';
import { readAsks, readClientCapabilities } from './asks.ts';
import { type Fields, inQuotes, type Located } from './fields.ts';
import type { JsonDocument } from './json-document.ts';
import { keysOfOthers, keysToReplace, serverKeys, stopKeys } from './known-keys.ts';
import { warnOfLikelyMistakes } from './likely-mistakes.ts';
import { readRestart } from './restart.ts';
import { readShare } from './share.ts';
import { readTools } from './tools.ts';

type Expanded = 'command' | 'args' | 'env' | 'cwd' | 'secrets';

export interface Draft {
  /** Members that need no expansion. */
  literal: Omit<ServerConfig, Expanded>;
  command: Located;
  args: readonly Located[];
  /** Null: not set, even if it is in the `envFile`. */
  env: ReadonlyMap<string, Located | null>;
  envFile: Located | undefined;
  cwd: Located | undefined;
}

export function readDraft(
  name: string,
  source: ServerConfig['source'],
  fields: Fields,
  document: JsonDocument,
  findings: Findings,
): Draft | undefined {
  fields.warnUnknown(serverKeys, (key) => (keysOfOthers.has(key) ? '' : keysToReplace.get(key)));
  if (name.trim() === '') findings.error(source, 'A server needs a name');
  const command = readCommand(fields, findings);
  const args = fields.texts('args', 'Write one string for each argument: "args": ["-y", "some-server"].') ?? [];
  const literal = {
    name,
    source,
    enabled: readEnabled(fields, findings),
    autoStart: fields.boolean('autoStart') ?? defaults.autoStart,
    protocol: fields.choice('protocol', ['mcp', 'litemcp']) ?? defaults.protocol,
    framing: readFraming(fields, findings),
    ...readEra(fields, findings),
    startupTimeoutMs: fields.count('startupTimeoutMs', 1) ?? defaults.startupTimeoutMs,
    requestTimeoutMs: fields.count('requestTimeoutMs', 1) ?? defaults.requestTimeoutMs,
    pingTimeoutMs: fields.count('pingTimeoutMs', 0) ?? defaults.pingTimeoutMs,
    maxFrameBytes: fields.count('maxFrameBytes', 1, LARGEST_MAX_FRAME_BYTES) ?? defaults.maxFrameBytes,
    maxFrameValues: fields.count('maxFrameValues', 1) ?? defaults.maxFrameValues,
    restart: readRestart(fields, findings),
    stop: readStop(fields),
    keepDaemons: fields.boolean('keepDaemons') ?? defaults.keepDaemons,
    share: readShare(fields, findings),
    asks: readAsks(fields),
    clientCapabilities: readClientCapabilities(fields, findings),
    tools: readTools(fields, findings),
  };
  const env = readEnv(fields, document, findings);
  const [envFile, cwd] = [fields.text('envFile'), fields.text('cwd')];
  if (!command || findings.failed) return undefined;
  warnOfLikelyMistakes({ command, args, cwd, envFile }, fields.has('args'), findings);
  return { literal, command, args, env, envFile, cwd };
}

function readCommand(fields: Fields, findings: Findings): Located | undefined {
  if (!fields.has('command')) {
    const others = fields.keys().filter((key) => !serverKeys.includes(key as never));
    const meant =
      others.find((key) => /^(?:cmd|exec|executable|program|run)$/i.test(key)) ?? nearest('command', others);
    const suggestion = meant ? `Did you mean "command" instead of "${meant}"?` : 'Write "command": "…".';
    findings.error(fields.at, 'There is no "command"', suggestion);
    return undefined;
  }
  const command = fields.text('command', 'Write only the program; put its arguments in "args".');
  if (command?.text.trim() === '') findings.error(command.at, '"command" is empty');
  return command;
}

function readEnabled(fields: Fields, findings: Findings): boolean {
  const [enabled, disabled] = [fields.boolean('enabled'), fields.boolean('disabled')];
  if (enabled !== undefined && enabled === disabled) {
    findings.warn(
      fields.keyAt('disabled'),
      '"enabled" and "disabled" contradict each other: the server stays disabled',
    );
  }
  return enabled !== false && disabled !== true;
}

function readFraming(fields: Fields, findings: Findings): string | undefined {
  const framing = fields.text('framing');
  if (!framing) return undefined;
  try {
    return framingByName(framing.text).name && framing.text;
  } catch (error) {
    findings.error(framing.at, toError(error).message, didYouMean(framing.text, framingNames));
    return undefined;
  }
}

/** Errors that `connect` would report at every start are reported once, with their position. */
function readEra(fields: Fields, findings: Findings): Pick<ServerConfig, 'era' | 'revision'> {
  const era = fields.choice('era', ['auto', ...erasOfMcp]) ?? defaults.era;
  const revision = fields.choice('revision', revisionsOfMcp);
  if (revision && era !== 'auto' && eraOf(revision) !== era) {
    findings.error(
      fields.valueAt('revision'),
      `Revision ${revision} does not belong to the ${era} era`,
      'Leave out "era".',
    );
  }
  return { era, revision };
}

function readStop(fields: Fields): ServerConfig['stop'] {
  const stop = fields.object('stop', 'Write "stop": {"stdinMs": 5000}.');
  stop?.warnUnknown(stopKeys);
  const waits = stopKeys.map((key) => [key, stop?.count(key, 0)] as const);
  return Object.fromEntries(waits.filter(([, waitMs]) => waitMs !== undefined));
}

function readEnv(fields: Fields, document: JsonDocument, findings: Findings): Map<string, Located | null> {
  const env = new Map<string, Located | null>();
  const variables = fields.object('env', 'Write "env": {"NAME": "value"}.');
  for (const name of variables?.keys() ?? []) {
    const node = variables!.value(name) as Node;
    if (!/^[^=\0]+$/.test(name))
      findings.error(variables!.keyAt(name), `${JSON.stringify(name)} is not a valid variable name`);
    else if (node.type === 'null') env.set(name, null);
    // VS Code also accepts numbers.
    else if (node.type === 'string' || node.type === 'number')
      env.set(name, { text: String(node.value), at: document.at(node) });
    else findings.error(document.at(node), `"env"."${name}" must be a string`, inQuotes(node));
  }
  return env;
}
