// Maps a JSON Schema to form fields. Supports the keywords that tools use. An unsupported schema becomes a JSON field and never an
// error, because servers write the schema.

import { isObject as isSchema } from '../../../src/base/json-object.ts';
import { follow } from '../../../src/mcp/schema-alternatives.ts';
import type { Schema } from '../api/shapes.ts';

const MAX_REFERENCES = 16;

export interface Variant {
  title: string;
  schema: Schema;
  /** The keyword that lists the alternative, and its position there. */
  keyword: 'anyOf' | 'oneOf';
  at: number;
}

export type Meaning =
  | { form: 'choice'; options: { title: string; value: unknown }[] }
  | { form: 'choices'; options: { title: string; value: unknown }[] }
  | { form: 'variants'; variants: Variant[] }
  | { form: 'object'; members: [string, Schema][]; required: ReadonlySet<string>; open: Schema | undefined }
  | { form: 'array'; items: Schema }
  /** `rest`: the schema of further items; undefined if there may be none. */
  | { form: 'tuple'; items: Schema[]; rest: Schema | undefined }
  | { form: 'boolean' }
  | { form: 'number'; integer: boolean }
  | { form: 'string'; input: string }
  | { form: 'constant'; value: unknown }
  /** `type`: the only type that the value may have, if it is known. */
  | { form: 'json'; type?: 'object' };

const list = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isSchema) : []);

/** Resolves references and merges `allOf`. */
export function settled(schema: unknown, root: Schema, depth = 0): Schema {
  if (!isSchema(schema)) return {};
  let here = schema;
  if (typeof here.$ref === 'string' && depth < MAX_REFERENCES) {
    const { $ref, ...beside } = here;
    here = { ...settled(follow(String($ref), root), root, depth + 1), ...beside };
  }
  for (const part of depth < MAX_REFERENCES ? list(here.allOf) : []) {
    const more = settled(part, root, depth + 1);
    here = {
      ...more,
      ...here,
      properties: { ...(more.properties as object), ...(here.properties as object) },
      required: [...strings(more.required), ...strings(here.required)],
    };
  }
  return here;
}

export function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

export function meaningOf(schema: Schema, root: Schema): Meaning {
  if ('const' in schema) return { form: 'constant', value: schema.const };
  if (Array.isArray(schema.enum))
    return { form: 'choice', options: namedOptions(schema.enum, strings(schema.enumNames)) };
  const alternatives = [...listed(schema, 'oneOf', root), ...listed(schema, 'anyOf', root)];
  if (alternatives.length > 0) return ofAlternatives(alternatives, schema, root);
  const type = typeOf(schema);
  if (schema.type === 'null') return { form: 'choice', options: [{ title: 'null', value: null }] };
  if (type === 'boolean') return { form: 'boolean' };
  if (type === 'integer' || type === 'number') return { form: 'number', integer: type === 'integer' };
  if (type === 'string') return { form: 'string', input: inputOf(schema.format) };
  if (type === 'array') return ofArray(schema, root);
  if (type === 'object') return ofObject(schema);
  return { form: 'json' };
}

export function typeOf(schema: Schema): string | undefined {
  if (typeof schema.type === 'string') return schema.type;
  if (Array.isArray(schema.type)) {
    const real = schema.type.filter((one) => one !== 'null');
    return real.length === 1 ? String(real[0]) : undefined;
  }
  if (isSchema(schema.properties)) return 'object';
  return schema.items === undefined && schema.prefixItems === undefined ? undefined : 'array';
}

interface Alternative extends Omit<Variant, 'title'> {
  /** The last part of the reference to it. */
  name: string | undefined;
}

function listed(schema: Schema, keyword: 'anyOf' | 'oneOf', root: Schema): Alternative[] {
  const given = Array.isArray(schema[keyword]) ? (schema[keyword] as unknown[]) : [];
  return given.flatMap((one, at) => {
    if (!isSchema(one)) return [];
    const name = typeof one.$ref === 'string' ? one.$ref.split('/').at(-1) : undefined;
    return [{ name, schema: settled(one, root), keyword, at }];
  });
}

/** Whether null is one of several values that the schema allows. */
export function isNullable(schema: Schema, root: Schema): boolean {
  if (Array.isArray(schema.type)) return schema.type.includes('null') && schema.type.length > 1;
  const all = [...listed(schema, 'oneOf', root), ...listed(schema, 'anyOf', root)];
  return all.length > 1 && all.some((one) => one.schema.type === 'null');
}

function ofAlternatives(alternatives: Alternative[], schema: Schema, root: Schema): Meaning {
  const real = alternatives.filter((one) => one.schema.type !== 'null');
  if (real.every((one) => 'const' in one.schema)) {
    return {
      form: 'choice',
      options: real.map((one) => ({ title: String(one.schema.title ?? one.schema.const), value: one.schema.const })),
    };
  }
  if (real.length === 1) return meaningOf({ ...schema, oneOf: undefined, anyOf: undefined, ...real[0]!.schema }, root);
  // Keywords next to the alternatives apply to each of them.
  const { oneOf: _, anyOf: __, title: ___, description: ____, default: _____, ...beside } = schema;
  return {
    form: 'variants',
    variants: real.map(({ name, schema: one, keyword, at }) => {
      return { title: variantTitle(one, name, at), schema: joined(beside, one), keyword, at };
    }),
  };
}

function joined(beside: Schema, one: Schema): Schema {
  if (!isSchema(beside.properties)) return { ...beside, ...one };
  return {
    ...beside,
    ...one,
    properties: { ...beside.properties, ...(one.properties as object) },
    required: [...strings(beside.required), ...strings(one.required)],
  };
}

/** An object without a name is told by the members that it requires. */
function variantTitle(schema: Schema, name: string | undefined, at: number): string {
  if (typeof schema.title === 'string') return schema.title;
  if (name) return name;
  for (const [member, value] of Object.entries((schema.properties ?? {}) as Record<string, Schema>)) {
    if (isSchema(value) && 'const' in value) return `${member}: ${value.const}`;
  }
  const type = typeOf(schema);
  const required = strings(schema.required);
  if (type === 'object' && required.length > 0) return `object with ${required.slice(0, 3).join(', ')}`;
  return type ?? `variant ${at + 1}`;
}

function ofArray(schema: Schema, root: Schema): Meaning {
  const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems : schema.items;
  if (Array.isArray(prefix) && prefix.length > 0) {
    // Draft 2020-12: `items` describes the items after the prefix. Before: `items` is the prefix.
    const rest = prefix === schema.items ? schema.additionalItems : schema.items;
    return { form: 'tuple', items: prefix.map((one) => settled(one, root)), rest: isSchema(rest) ? rest : undefined };
  }
  const items = settled(schema.items, root);
  const inner = meaningOf(items, root);
  if (inner.form === 'choice') return { form: 'choices', options: inner.options };
  return { form: 'array', items };
}

function ofObject(schema: Schema): Meaning {
  const members = Object.entries((schema.properties ?? {}) as Record<string, unknown>).map(
    ([name, member]): [string, Schema] => [name, isSchema(member) ? member : {}],
  );
  const more = schema.additionalProperties;
  if (schema.properties === undefined && !isSchema(more) && more !== false) return { form: 'json', type: 'object' };
  const open = isSchema(more) ? more : more === true || (members.length === 0 && more !== false) ? {} : undefined;
  return { form: 'object', members, required: new Set(strings(schema.required)), open };
}

function namedOptions(values: unknown[], names: string[]): { title: string; value: unknown }[] {
  return values.map((value, at) => ({
    title: names[at] ?? (typeof value === 'string' ? value : JSON.stringify(value)),
    value,
  }));
}

function inputOf(format: unknown): string {
  return { date: 'date', time: 'time', email: 'email', uri: 'url', password: 'password' }[String(format)] ?? 'text';
}
