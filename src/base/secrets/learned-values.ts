// Secrets learned while the process runs, such as access tokens. Every mask hides them, including masks created earlier.

import { formsOf } from './value-forms.ts';

/** Keeps only the newest values, for a process that refreshes tokens for months. */
const MOST_VALUES = 500;
/** Limit of all forms together. */
const MOST_CHARS = 4 * 1024 * 1024;

const learned = new Map<string, readonly string[]>();
let chars = 0;
let changes = 0;

export function learnSecret(value: string): void {
  if (value.length < 4 || learned.has(value)) return;
  const forms = [...formsOf(value)];
  learned.set(value, forms);
  chars += charsOf(forms);
  for (const [oldest, its] of learned) {
    if (oldest === value || (learned.size <= MOST_VALUES && chars <= MOST_CHARS)) break;
    learned.delete(oldest);
    chars -= charsOf(its);
  }
  changes++;
}

function charsOf(forms: readonly string[]): number {
  return forms.reduce((sum, { length }) => sum + length, 0);
}

/** A counter that increases with each value. */
export function learnedChanges(): number {
  return changes;
}

/** The learned values in all forms that a mask has to find. */
export function learnedForms(): readonly string[] {
  return [...learned.values()].flat();
}
