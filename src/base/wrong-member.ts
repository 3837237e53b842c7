// A member that is absent, perhaps because its name is misspelt, or of another type than it must be.

import { type JsonObject, jsonKind } from './json-object.ts';

/** A member of the object that stands in the place of `member`. */
export function spellingOf(member: string, owner: JsonObject): string | undefined {
  return Object.keys(owner).find((name) => name !== member && letters(name) === letters(member));
}

/** The rest of a sentence about the owner. */
export function wrongMember(owner: JsonObject, member: string): string {
  const value = owner[member];
  const misspelt = spellingOf(member, owner);
  if (value === undefined) return `has no ${member}${misspelt === undefined ? '' : `, but \`${misspelt}\``}`;
  if (member.endsWith('s'))
    return `has ${member} that are ${Array.isArray(value) ? kindOfList(value) : jsonKind(value)}`;
  return `has ${/^[aeio]/.test(member) ? 'an' : 'a'} ${member} that is ${jsonKind(value)}`;
}

/** Of a list that is wrong where one of strings is required. */
function kindOfList({ length }: readonly unknown[]): string {
  return length === 0 ? 'an empty array' : 'not strings';
}

function letters(name: string): string {
  return name.replace(/[_-]/g, '').toLowerCase();
}
