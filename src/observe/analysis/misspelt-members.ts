// Finds misspelt member names, such as `next_cursor` for `nextCursor`. Readers ignore unknown members, so the value is lost silently.
// Objects that the schema leaves open (`_meta`, arguments, structured content, JSON Schemas) are skipped.

import { isObject } from '../../base/json-object.ts';
import { spellingOf } from '../../base/wrong-member.ts';

export interface Misspelling {
  readonly name: string;
  readonly meant: string;
}

/** The part of a Zod schema that describes its structure. */
export interface ZodForm {
  readonly _zod?: { readonly def: ZodDefinition };
}

interface ZodDefinition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, ZodForm>>;
  readonly innerType?: ZodForm;
  readonly element?: ZodForm;
  readonly options?: readonly ZodForm[];
  readonly values?: readonly unknown[];
}

const open = new Set(['_meta', 'inputSchema', 'outputSchema', 'structuredContent', 'arguments']);
const optional = new Set(['optional', 'default']);

/** The first misspelt optional member. A missing required member is reported by the schema check. */
export function misspeltMember(schema: ZodForm | undefined, value: unknown): Misspelling | undefined {
  const { type, shape, innerType, element, options } = schema?._zod?.def ?? { type: 'unknown' };
  if (innerType) return misspeltMember(innerType, value);
  if (options) return firstOf(alternatives(options, value), (each) => misspeltMember(each, value));
  if (element) return Array.isArray(value) ? firstOf(value, (each) => misspeltMember(element, each)) : undefined;
  if (type !== 'object' || !shape || !isObject(value)) return undefined;
  return firstOf(Object.entries(shape), ([meant, form]) => {
    if (open.has(meant)) return undefined;
    if (value[meant] !== undefined) return misspeltMember(form, value[meant]);
    const name = optional.has(form._zod?.def.type ?? '') ? spellingOf(meant, value) : undefined;
    return name === undefined || Object.hasOwn(shape, name) ? undefined : { name, meant };
  });
}

/** The variants of a union that the `type` of the value selects. All of them if `type` does not tell the variants apart. */
function alternatives(options: readonly ZodForm[], value: unknown): readonly ZodForm[] {
  const typeOf = (form: ZodForm) => form._zod?.def.shape?.type?._zod?.def.values;
  if (!options.some(typeOf)) return options;
  return options.filter((form) => isObject(value) && typeOf(form)?.includes(value.type));
}

function firstOf<T, R>(all: Iterable<T>, find: (each: T) => R | undefined): R | undefined {
  for (const each of all) {
    const found = find(each);
    if (found !== undefined) return found;
  }
  return undefined;
}
