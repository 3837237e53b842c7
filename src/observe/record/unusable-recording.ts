// Errors about a recording that is missing or lacks the required messages.

import { existsSync } from 'node:fs';
import { UsageError } from '../../base/errors.ts';
import { ownCommand } from '../../base/own-command.ts';
import { hintOfNames } from '../../config/nearest.ts';

const RECORD = `\`${ownCommand} tap --record FILE -- <command …>\` and \`${ownCommand} up --record FILE\` write recordings.`;

/** `damage` describes the lines that cannot be read. */
export function noServer(file: string, damage?: string): UsageError {
  if (!existsSync(file)) return new UsageError('NAME_UNKNOWN', `There is no recording ${file}`, { hint: RECORD });
  return new UsageError('RECORDING_UNUSABLE', `${file} has no messages of a server`, { hint: damage ?? RECORD });
}

export function unknownServer(file: string, server: string, names: readonly string[]): UsageError {
  return new UsageError('NAME_UNKNOWN', `${file} has no server named "${server}"`, {
    hint: hintOfNames(server, names, undefined),
  });
}

export function severalServers(file: string, names: readonly string[]): UsageError {
  return new UsageError('INVALID_OPTION', `${file} has several servers: ${names.join(', ')}`, {
    hint: `Choose one: --server ${names[0]}`,
  });
}
