// Reads config files from the disk. A text may begin with a byte order mark, of UTF-8 or, from some Windows programs, UTF-16.

import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { toError, UsageError } from '../../base/errors.ts';
import { type ConfigFile, configFromText } from './config-file.ts';
import type { AskInput } from './inputs.ts';
import { type ConfigPlace, placeOf, type Surroundings } from './places.ts';

export interface ReadOptions extends Partial<Surroundings> {
  /** Gives the values of VS Code's `inputs`. Called again with every load, unless wrapped in `askOnce`. */
  askInput?: AskInput;
}

/** Rejects with CONFIG_NOT_FOUND if there is nothing to read; whatever the file says is in the result. */
export function readConfig(file: string, options: ReadOptions = {}): Promise<ConfigFile> {
  return readPlace(placeOf(file, surroundings(options)), options);
}

export async function readPlace(place: ConfigPlace, options: ReadOptions): Promise<ConfigFile> {
  let text: string;
  try {
    text = await readText(place.file);
  } catch (cause) {
    const why = isMissing(cause) ? 'There is no config' : 'The config cannot be read:';
    const detail = isMissing(cause) ? '' : ` (${toError(cause).message})`;
    throw new UsageError('CONFIG_NOT_FOUND', `${why} ${place.file}${detail}`, { cause });
  }
  return configFromText(text, place, { ...surroundings(options), askInput: options.askInput, readText });
}

export function surroundings(options: ReadOptions): Surroundings {
  const { cwd = process.cwd(), home = homedir(), env = process.env, platform = process.platform } = options;
  return { cwd, home, env, platform };
}

export function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

async function readText(file: string): Promise<string> {
  const bytes = await readFile(file);
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}
