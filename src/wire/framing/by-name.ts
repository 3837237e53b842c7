// Creates framings from the names used in a config file. The `name` of each framing equals the name it was created by.

import { UsageError } from '../../base/errors.ts';
import { blankLines } from './blank-lines.ts';
import { contentLength } from './content-length.ts';
import { fixedLength } from './fixed-length.ts';
import type { Framing } from './framing.ts';
import { lengthPrefix } from './length-prefix.ts';
import { newline } from './newline.ts';

const byName = new Map<string, () => Framing>([
  ['newline', newline],
  ['blank-lines', blankLines],
  ['length-prefix', () => lengthPrefix({ format: 'uint32be' })],
  ['length-prefix-le', () => lengthPrefix({ format: 'uint32le' })],
  ['length-prefix-hex', () => lengthPrefix({ format: 'hex' })],
  ['content-length', contentLength],
]);

/** All names that `framingByName` accepts, as text for people: the last one stands for any size. */
export const framingNames: readonly string[] = [...byName.keys(), 'fixed-length:<bytes>'];

export function framingByName(name: string): Framing {
  const create = byName.get(name);
  if (create) return create();
  const frameBytes = /^fixed-length:([1-9]\d*)$/.exec(name)?.[1];
  if (frameBytes) return fixedLength({ frameBytes: Number(frameBytes) });
  const names = framingNames.join(', ');
  throw new UsageError('INVALID_OPTION', `Unknown framing ${JSON.stringify(name)}; use one of ${names}`);
}
