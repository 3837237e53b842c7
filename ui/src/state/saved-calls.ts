// Calls that the user pinned, with a name each. Kept in this browser, beyond the history of the Inspector. Calls with secrets are kept
// only while the page is open.

import type { CallRequest } from '../../../src/app/inspector/api.ts';
import { isSecretName } from '../../../src/base/secrets/secret-names.ts';
import { Cell } from './cell.ts';

export interface SavedCall {
  /** The id of the call that was pinned. */
  id: string;
  server: string;
  name: string;
  request: CallRequest;
}

const KEY = 'standpipe-pinned';
const MAX_PINNED = 200;
const MAX_REQUEST_CHARACTERS = 100_000;

function stored(): SavedCall[] {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '[]') as SavedCall[];
  } catch {
    return []; // another version of the page wrote it
  }
}

export const savedCalls = new Cell<readonly SavedCall[]>(stored());

savedCalls.watch(() => {
  try {
    localStorage.setItem(KEY, JSON.stringify(savedCalls.read().filter(({ request }) => !holdsSecret(request))));
  } catch {
    // The storage is full or forbidden: the calls stay until the page is closed.
  }
});

/** Returns why the call was not pinned. */
export function pin(call: SavedCall): string | undefined {
  if (savedCalls.read().length >= MAX_PINNED) return `${MAX_PINNED} calls are pinned already.`;
  if (JSON.stringify(call.request).length > MAX_REQUEST_CHARACTERS) return 'Its arguments are too long to be kept.';
  savedCalls.update((known) => [...known.filter(({ id }) => id !== call.id), call]);
  return undefined;
}

export function unpin(id: string): void {
  savedCalls.update((known) => known.filter((call) => call.id !== id));
}

export function rename(id: string, name: string): void {
  savedCalls.update((known) => known.map((call) => (call.id === id ? { ...call, name } : call)));
}

function holdsSecret(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => {
    if (isSecretName(name) && typeof member === 'string') return true;
    return name === 'argsText' ? holdsSecret(JSON.parse(String(member))) : holdsSecret(member);
  });
}
