// A word as it can be copied into a shell.

import { visibleLine } from './visible.ts';

export function shellWord(word: string): string {
  return /^[\w.@/:+-]+$/.test(word) ? word : `'${visibleLine(word).replaceAll("'", `'\\''`)}'`;
}
