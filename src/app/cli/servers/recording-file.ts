// The file that a word on the command line means: a path, or the name of a kept recording.

import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { shellWord } from '../../../base/command-line.ts';
import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { keptRecording } from '../../../observe/record/kept-recordings.ts';

/** An existing file has precedence over a kept recording with this name. If neither exists, the word is returned. */
export function recordingFile(word: string): string {
  return existsSync(word) ? word : (keptRecording(word) ?? word);
}

/** Undefined if the word cannot mean a recording. */
export function existingRecording(word: string): string | undefined {
  const file = recordingFile(word);
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined;
}

export function namesRecording(word: string): boolean {
  return /\.jsonl?$/.test(word);
}

/** `otherwise`: a clause for the hint about the command without arguments. */
export function noRecording(file: string, otherwise: string): UsageError {
  const isThere = existsSync(file);
  return new UsageError('NAME_UNKNOWN', isThere ? `${file} is not a file` : `There is no recording ${resolve(file)}`, {
    hint: `\`${ownCommand} tap --record ${shellWord(file)} -- <command …>\` writes one; ${otherwise}.`,
  });
}
