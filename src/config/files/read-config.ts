// Reads one config file, and the files that its entries refer to.

import { toError, UsageError } from '../../base/errors.ts';
import { type ConfigFile, configFromText } from '../config-file.ts';
import type { AskInput } from '../expand/inputs.ts';
import type { CheckEntry } from '../read/check-entry.ts';
import { decodeFile, fromDisk, isMissing, type ReadBytes } from './disk.ts';
import { type ConfigPlace, placeOf, type SystemContext, systemContext } from './places.ts';

export { systemContext };

export interface ReadOptions extends Partial<SystemContext> {
  /** Returns the values of the `inputs` of VS Code. Called again with every load. */
  askInput?: AskInput;
  /** Checks whether the programs and folders of entries exist: `checkOnSystem`. */
  checkEntry?: CheckEntry;
}

/** Rejects with CONFIG_NOT_FOUND if the file cannot be read. Errors in its content are in the result. */
export function readConfig(file: string, options: ReadOptions = {}): Promise<ConfigFile> {
  return readPlace(placeOf(file, systemContext(options)), options);
}

export async function readPlace(
  place: ConfigPlace,
  options: ReadOptions,
  read: ReadBytes = fromDisk,
): Promise<ConfigFile> {
  const readText = async (file: string) => decodeFile(await read(file));
  let text: string;
  try {
    text = await readText(place.file);
  } catch (cause) {
    const message = isMissing(cause) ? 'There is no config' : `The config cannot be read (${toError(cause).message}):`;
    throw new UsageError('CONFIG_NOT_FOUND', `${message} ${place.file}`, { cause });
  }
  const { askInput, checkEntry } = options;
  return configFromText(text, place, { ...systemContext(options), askInput, checkEntry, readText });
}
