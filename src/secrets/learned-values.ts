// Secrets learned while the process runs, such as access tokens. Every mask hides them, including masks created earlier.

import { formsOf } from './value-forms.ts';

/** Keeps only the newest values, for a process that refreshes tokens for months. */
const MOST_VALUES = 500;

const learned = new Map<string, readonly string[]>();
let changes = 0;

export function learnSecret(value: string): void {
  if (value.length < 4 || learned.has(value)) return;
  learned.set(value, [...formsOf(value)]);
  for (const oldest of learned.keys()) {
    if (learned.size <= MOST_VALUES) break;
    learned.delete(oldest);
  }
  changes++;
}

/** A counter that increases with each value. */
export function learnedChanges(): number {
  return changes;
}

/** The learned values in all forms that a mask has to find. */
export function learnedForms(): readonly string[] {
  return [...learned.values()].flat();
}
