// Describes a member that is missing, perhaps because it is misspelt, or has the wrong type.

import { type JsonObject, jsonKind } from './json-object.ts';

/** The name of a member that differs from `member` only in case, `_` or `-`. */
export function spellingOf(member: string, owner: JsonObject): string | undefined {
  return Object.keys(owner).find((name) => name !== member && letters(name) === letters(member));
}

/** The predicate of a sentence whose subject is the owner. `wanted`: the member is a list of strings. */
export function wrongMember(owner: JsonObject, member: string, wanted?: 'strings'): string {
  const value = owner[member];
  const misspelt = spellingOf(member, owner);
  if (value === undefined) return `has no ${member}${misspelt === undefined ? '' : `, but \`${misspelt}\``}`;
  const kind = wanted && Array.isArray(value) ? kindOfList(value) : jsonKind(value);
  if (member.endsWith('s')) return `has ${member} that are ${kind}`;
  return `has ${/^[aeio]/.test(member) ? 'an' : 'a'} ${member} that is ${kind}`;
}

/** Describes a list that is not a list of at least one string. */
function kindOfList({ length }: readonly unknown[]): string {
  return length === 0 ? 'an empty array' : 'not strings';
}

function letters(name: string): string {
  return name.replace(/[_-]/g, '').toLowerCase();
}
