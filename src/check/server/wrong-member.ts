// A member that is absent, perhaps because its name is misspelt, or of another type than it must be.

import { spellingOf } from '../../analysis/misspelt-members.ts';
import { type JsonObject, jsonKind } from '../../base/json-object.ts';

/** The rest of a sentence about the owner. */
export function wrongMember(owner: JsonObject, member: string): string {
  const value = owner[member];
  const misspelt = spellingOf(member, owner);
  if (value === undefined) return `has no ${member}${misspelt === undefined ? '' : `, but \`${misspelt}\``}`;
  if (member.endsWith('s')) return `has ${member} that are ${jsonKind(value)}`;
  return `has ${/^[aeio]/.test(member) ? 'an' : 'a'} ${member} that is ${jsonKind(value)}`;
}
