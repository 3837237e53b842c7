// Checks the declaration of a server. JavaScript would accept these mistakes, and the failing call would come much
// later, from a client.

import { UsageError } from '../../base/errors.ts';
import type { Implementation } from '../types.ts';

export function mustPresentItself(info: Implementation): void {
  for (const key of ['name', 'version'] as const) {
    if (typeof info?.[key] === 'string' && info[key] !== '') continue;
    throw new UsageError('INVALID_OPTION', `A server needs a "${key}": clients show it, and some require it`, {
      hint: "new Server({ name: 'weather', version: '1.0.0' })",
    });
  }
}

/** `what` is "tool", "resource", "resource template" or "prompt". The name of a resource is its URI. */
export function mustHaveName(name: unknown, what: string): void {
  if (typeof name === 'string' && name !== '') return;
  const given = typeof name === 'string' ? 'an empty string' : `a ${typeof name}`;
  throw new UsageError('INVALID_OPTION', `A ${what} needs a name as its first argument, not ${given}`);
}

export function mustBeFunction(handler: unknown, owner: string): void {
  if (typeof handler === 'function') return;
  throw new UsageError('INVALID_OPTION', `The ${owner} has no handler: its declaration comes first, then a function`);
}

export function mustNotHave(declaration: object, renamed: Record<string, string>, owner: string): void {
  for (const [theirs, ours] of Object.entries(renamed)) {
    if (theirs in declaration) {
      throw new UsageError('INVALID_OPTION', `The ${owner} is declared with "${theirs}"; here it is "${ours}"`);
    }
  }
}
