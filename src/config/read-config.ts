// Reads one config file, and whatever its entries refer to.

import { toError, UsageError } from '../base/errors.ts';
import { type ConfigFile, configFromText } from './config-file.ts';
import { decodeText, fromDisk, isMissing, type ReadBytes } from './disk.ts';
import type { AskInput } from './inputs.ts';
import type { LookAround } from './on-this-machine.ts';
import { type ConfigPlace, placeOf, type Surroundings, surroundings } from './places.ts';

export { surroundings };

export interface ReadOptions extends Partial<Surroundings> {
  /** Gives the values of VS Code's `inputs`. Called again with every load, unless wrapped in `askOnce`. */
  askInput?: AskInput;
  /** Looks whether the programs and folders that entries name are there: `onThisMachine`. */
  lookAround?: LookAround;
}

/** Rejects with CONFIG_NOT_FOUND if there is nothing to read; whatever the file says is in the result. */
export function readConfig(file: string, options: ReadOptions = {}): Promise<ConfigFile> {
  return readPlace(placeOf(file, surroundings(options)), options);
}

export async function readPlace(
  place: ConfigPlace,
  options: ReadOptions,
  read: ReadBytes = fromDisk,
): Promise<ConfigFile> {
  const readText = async (file: string) => decodeText(await read(file));
  let text: string;
  try {
    text = await readText(place.file);
  } catch (cause) {
    const message = isMissing(cause) ? 'There is no config' : `The config cannot be read (${toError(cause).message}):`;
    throw new UsageError('CONFIG_NOT_FOUND', `${message} ${place.file}`, { cause });
  }
  const { askInput, lookAround } = options;
  return configFromText(text, place, { ...surroundings(options), askInput, lookAround, readText });
}
