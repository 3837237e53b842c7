import type { LiteServerRule } from '../../lite-server-rule.ts';
import {
  crlf,
  newlinesBetween,
  severalInOneWrite,
  severalLines,
  splitCharacters,
  splitWrites,
} from './what-is-read.ts';
import { flushedAtOnce, noNewlinesInside, onlyMessages, threeNewlines, utf8 } from './what-is-written.ts';

export const wireRules: readonly LiteServerRule[] = [
  onlyMessages,
  utf8,
  threeNewlines,
  noNewlinesInside,
  flushedAtOnce,
  severalLines,
  crlf,
  newlinesBetween,
  severalInOneWrite,
  splitWrites,
  splitCharacters,
];
