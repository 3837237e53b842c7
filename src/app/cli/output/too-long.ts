// A result that is longer than a string of V8 can be.

import { constants } from 'node:buffer';
import { UsageError } from '../../../base/errors.ts';

/** Runs work that makes one text of a recording. */
export async function asOneText<T>(file: string, hint: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RangeError) || error.message !== 'Invalid string length') throw error;
    const message = `The result for ${file} would have more than ${constants.MAX_STRING_LENGTH} characters`;
    throw new UsageError('RECORDING_UNUSABLE', message, { hint, cause: error });
  }
}
