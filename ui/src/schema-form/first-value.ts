// The initial value of a form: defaults, and required objects.

import type { Schema } from '../api/shapes.ts';
import { meaningOf, settled } from './read-schema.ts';

const MAX_DEPTH = 8;

export function firstValue(given: Schema, root: Schema = given, isRequired = true, depth = 0): unknown {
  const schema = settled(given, root);
  if ('default' in schema) return structuredClone(schema.default);
  const meaning = meaningOf(schema, root);
  if (meaning.form === 'constant') return isRequired ? meaning.value : undefined;
  if (depth > MAX_DEPTH || !isRequired) return undefined;
  if (meaning.form === 'object') {
    const members = meaning.members
      .map(([name, member]) => [name, firstValue(member, root, meaning.required.has(name), depth + 1)] as const)
      .filter(([, value]) => value !== undefined);
    return Object.fromEntries(members);
  }
  if (meaning.form === 'json' && meaning.type === 'object' && depth === 0) return {};
  if (meaning.form === 'tuple') return meaning.items.map((item) => firstValue(item, root, true, depth + 1) ?? null);
  if (meaning.form === 'array' || meaning.form === 'choices') return [];
  if (meaning.form === 'variants') return firstValue(meaning.variants[0]!.schema, root, true, depth + 1);
  return undefined;
}
