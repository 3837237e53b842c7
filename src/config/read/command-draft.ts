// An entry of a server that is started as a command.

import type { Node } from 'jsonc-parser';
import { toError } from '../../base/errors.ts';
import { framingByName, framingNames } from '../../framing/by-name.ts';
import { didYouMean, nearest } from '../nearest.ts';
import type { Findings } from '../problem.ts';
import { type CommandConfig, defaultCommandSettings as defaults, type ServerSettings } from '../server-config.ts';
import { type Fields, inQuotes, type Located } from './fields.ts';
import type { JsonDocument } from './json-document.ts';
import { commandKeys, stopKeys } from './known-keys.ts';
import { warnOfLikelyMistakes } from './likely-mistakes.ts';

export interface CommandDraft {
  /** Members that need no expansion. */
  literal: Omit<CommandConfig, 'command' | 'args' | 'env' | 'cwd' | 'secrets'>;
  command: Located;
  args: readonly Located[];
  /** Null: not set, even if it is in the `envFile`. */
  env: ReadonlyMap<string, Located | null>;
  envFile: Located | undefined;
  cwd: Located | undefined;
  url?: undefined;
}

export function readCommandDraft(
  settings: Omit<ServerSettings, 'secrets'>,
  fields: Fields,
  document: JsonDocument,
  findings: Findings,
): CommandDraft | undefined {
  const command = readCommand(fields, findings);
  const args = fields.texts('args', 'Write one string for each argument: "args": ["-y", "some-server"].') ?? [];
  const literal = {
    ...settings,
    protocol: fields.choice('protocol', ['mcp', 'litemcp']) ?? defaults.protocol,
    framing: readFraming(fields, findings),
    stop: readStop(fields),
    keepDaemons: fields.boolean('keepDaemons') ?? defaults.keepDaemons,
  };
  const env = readEnv(fields, document, findings);
  const [envFile, cwd] = [fields.text('envFile'), fields.text('cwd')];
  if (!command || findings.failed) return undefined;
  warnOfLikelyMistakes({ command, args, cwd, envFile }, fields.has('args'), findings);
  return { literal, command, args, env, envFile, cwd };
}

function readCommand(fields: Fields, findings: Findings): Located | undefined {
  if (!fields.has('command')) {
    const others = fields.keys().filter((key) => !commandKeys.includes(key as never));
    const meant =
      others.find((key) => /^(?:cmd|exec|executable|program|run)$/i.test(key)) ?? nearest('command', others);
    const address = nearest('url', others);
    const suggestion = meant
      ? `Did you mean "command" instead of "${meant}"?`
      : address
        ? `Did you mean "url" instead of "${address}"?`
        : 'Write "command": "…", or "url": "https://…".';
    findings.error(fields.at, 'There is no "command" and no "url"', suggestion);
    return undefined;
  }
  const command = fields.text('command', 'Write only the program; put its arguments in "args".');
  if (command?.text.trim() === '') findings.error(command.at, '"command" is empty');
  return command;
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

function readStop(fields: Fields): CommandConfig['stop'] {
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
