import type { ServerRule } from '../../server-rule.ts';
import { lineSeparators, textSurvives, utf8 } from './encoding.ts';
import { anyForm, blankLines, crlf } from './input.ts';
import {
  noBlankLines,
  noByteOrderMark,
  noColours,
  noNewlineInside,
  noOtherJson,
  oneMessagePerLine,
  onlyMessages,
  validJson,
} from './lines.ts';
import { flushed, largeMessageIn, largeMessageOut, lastNewline, silentAtFirst, wholeLines } from './output.ts';
import { splitWrites } from './split-writes.ts';
import { unreadStderr } from './stderr.ts';

export const wireRules: readonly ServerRule[] = [
  onlyMessages,
  noOtherJson,
  validJson,
  noNewlineInside,
  oneMessagePerLine,
  lastNewline,
  noBlankLines,
  noByteOrderMark,
  noColours,
  utf8,
  textSurvives,
  lineSeparators,
  silentAtFirst,
  flushed,
  wholeLines,
  largeMessageOut,
  largeMessageIn,
  splitWrites,
  anyForm,
  crlf,
  blankLines,
  unreadStderr,
];
