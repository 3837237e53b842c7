// Makes up arguments for a tool from its `inputSchema`. The schema comes from a server and may be anything: the work is bounded, and arguments
// count only if the schema accepts them.

import { isObject, type JsonObject } from '../../base/json-object.ts';
import { alternatives, propertiesOf, requiredOf } from '../../mcp/schema-alternatives.ts';
import { accepts } from './rules/methods/json-schemas.ts';

/** Choices that are tried: which alternative, which text, and whether optional members are left out. */
const attempts = [0, 1, 2, 3, 4, 5].flatMap((choice) => [
  { choice, isShort: true },
  { choice, isShort: false },
]);
type Attempt = (typeof attempts)[number];

const MOST_DEPTH = 8;
/** Limit of the values of one sample: references can make a short schema large. */
const MOST_VALUES = 2_000;
const texts = ['x', '1', 'a1', 'AA', 'https://example.com/', '2024-02-29'];
const formats: Readonly<Record<string, string>> = {
  date: '2024-02-29',
  'date-time': '2024-02-29T12:00:00Z',
  time: '12:00:00Z',
  duration: 'PT1S',
  email: 'user@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  'uri-reference': '/example',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/** The first sample that the schema accepts: examples and defaults, otherwise short values. Undefined if none was found. */
export async function acceptedArguments(schema: unknown): Promise<JsonObject | undefined> {
  if (!isObject(schema)) return {};
  const tried = new Set<string>();
  for (const attempt of attempts) {
    const sample = sampleArguments(schema, attempt);
    const text = JSON.stringify(sample);
    if (tried.has(text)) continue;
    tried.add(text);
    if (await accepts(schema, sample)) return sample;
  }
  return undefined;
}

/** Arguments that a schema probably accepts. */
export function sampleArguments(schema: unknown, attempt: Attempt = attempts[0]!): JsonObject {
  const root = isObject(schema) ? schema : {};
  const sample = new Sampler(root, attempt).valueOf(root, 0);
  return isObject(sample) ? sample : {};
}

class Sampler {
  readonly #root: JsonObject;
  readonly #attempt: Attempt;
  #left = MOST_VALUES;

  constructor(root: JsonObject, attempt: Attempt) {
    this.#root = root;
    this.#attempt = attempt;
  }

  valueOf(schema: unknown, depth: number): unknown {
    if (!isObject(schema) || depth > MOST_DEPTH || this.#left-- <= 0) return null;
    const all = alternatives(schema, this.#root);
    const { choice } = this.#attempt;
    const plain = { ...all[Math.min(choice, all.length - 1)], ...without(schema) };
    const given = givenIn(plain);
    return given.length > 0 ? given[Math.min(choice, given.length - 1)] : this.#made(plain, depth);
  }

  #made(schema: JsonObject, depth: number): unknown {
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
    switch (type) {
      case 'string':
        return this.#text(schema);
      case 'number':
      case 'integer':
        return numberOf(schema, type === 'integer');
      case 'boolean':
        return false;
      case 'array':
        return this.#list(schema, depth);
      case 'null':
        return null;
      default:
        return this.#object(schema, depth);
    }
  }

  #text({ format, pattern, minLength, maxLength }: JsonObject): string {
    const text = formats[String(format)] ?? texts[pattern === undefined ? 0 : this.#attempt.choice]!;
    const least = Math.min(amount(minLength, 0), 1_000);
    return text.padEnd(least, text).slice(0, Math.max(amount(maxLength, text.length), least));
  }

  #list({ items, prefixItems, minItems, uniqueItems }: JsonObject, depth: number): unknown[] {
    const length = Math.min(amount(minItems, this.#attempt.isShort ? 0 : 1), depth > 2 ? 2 : 100);
    const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    const rest = Array.isArray(items) ? {} : items;
    return Array.from({ length }, (_, at) => {
      const value = this.valueOf(first[at] ?? rest, depth + 1);
      if (uniqueItems !== true || at === 0) return value;
      return typeof value === 'string' ? `${value}${at}` : typeof value === 'number' ? value + at : value;
    });
  }

  #object(schema: JsonObject, depth: number): JsonObject {
    const properties = propertiesOf(schema);
    const required = requiredOf(schema);
    const names = this.#attempt.isShort ? required : [...required, ...Object.keys(properties)];
    return Object.fromEntries(
      [...new Set(names)].slice(0, MOST_VALUES).map((name) => {
        return [name, this.valueOf(Object.hasOwn(properties, name) ? properties[name] : {}, depth + 1)];
      }),
    );
  }
}

/** The keywords of the schema that give values. References and alternatives are dropped. */
function without(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    ['examples', 'default', 'const', 'enum'].flatMap((key) => (key in schema ? [[key, schema[key]]] : [])),
  );
}

/** The values that the schema names, the best first. */
function givenIn({ examples, enum: listed, ...schema }: JsonObject): unknown[] {
  const named = (['default', 'const'] as const).filter((key) => schema[key] !== undefined).map((key) => schema[key]);
  return [...(Array.isArray(examples) ? examples : []), ...named, ...(Array.isArray(listed) ? listed : [])];
}

/** A number within the limits, which are numbers, or before draft-06 numbers with `exclusive…: true`. */
function numberOf(schema: JsonObject, isInteger: boolean): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const least = Math.max(amount(minimum, -Infinity), amount(exclusiveMinimum, -Infinity));
  const most = Math.min(amount(maximum, Infinity), amount(exclusiveMaximum, Infinity));
  const isAbove = exclusiveMinimum === true || least === exclusiveMinimum;
  const isBelow = exclusiveMaximum === true || most === exclusiveMaximum;
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : isInteger ? 1 : undefined;
  if (least === -Infinity && most === Infinity) return step ?? 1;
  if (step !== undefined) {
    if (least === -Infinity) return (isBelow ? Math.ceil(most / step) - 1 : Math.floor(most / step)) * step;
    return (isAbove ? Math.floor(least / step) + 1 : Math.ceil(least / step)) * step;
  }
  if (!isAbove && least !== -Infinity) return least;
  if (!isBelow && most !== Infinity) return most;
  if (least === -Infinity) return most - 1;
  return most === Infinity ? least + 1 : (least + most) / 2;
}

/** A schema of a server may have any value there. */
function amount(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
