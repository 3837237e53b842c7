// Compares two JSON Schemas and classifies each change by its effect on the other side. Of an input schema, a narrower version is breaking: it refuses
// arguments that were valid. Of an output schema, a wider version is breaking: it allows results that clients do not expect.

import { canonicalJson } from '../base/canonical-json.ts';
import { isObject, type JsonObject } from '../base/json-object.ts';

export type SchemaSide = 'input' | 'output';

/** `wording`: texts for people and models only. */
export type SchemaEffect = 'breaking' | 'compatible' | 'wording';

export interface SchemaChange {
  /** Where the change is: `city`, `filter.kinds[]`. Empty for the schema itself. */
  readonly path: string;
  readonly effect: SchemaEffect;
  /** The change as a sentence without its subject: `is now required`. */
  readonly text: string;
}

/** How a change alters the set of valid values. `unclear`: neither set certainly contains the other. */
type Direction = 'narrower' | 'wider' | 'unclear' | 'none';

const MOST_LEVELS = 64;
const MOST_CHANGES = 1000;
const LONGEST_VALUE = 60;

/** Returns at most 1,000 changes. An absent schema allows every value. */
export function schemaChanges(before: unknown, after: unknown, side: SchemaSide): SchemaChange[] {
  const comparison = new Comparison(side);
  comparison.schemas(before ?? {}, after ?? {}, '', 0);
  return comparison.changes;
}

/** The strongest effect among the changes; undefined if there are none. */
export function strongestEffect(changes: readonly SchemaChange[]): SchemaEffect | undefined {
  return (['breaking', 'compatible', 'wording'] as const).find((effect) =>
    changes.some((change) => change.effect === effect),
  );
}

const wordings = new Set(['title', 'description', '$comment', 'examples', 'deprecated', 'readOnly', 'writeOnly']);
/** Keywords with one subschema each, and the part of the path that names it. */
const subschemas: Readonly<Record<string, string>> = {
  items: '[]',
  contains: '[contains]',
  propertyNames: '{names}',
  unevaluatedItems: '[others]',
};
/** A larger value allows fewer values. */
const minimums = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains']);
/** A larger value allows more values. */
const maximums = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains']);
/** Each listed schema is one alternative. */
const alternatives = new Set(['anyOf', 'oneOf']);
/** Keywords that are compared together with others, or do not change the valid values. */
const handled = new Set([
  'type',
  'enum',
  'const',
  'required',
  'properties',
  'additionalProperties',
  '$defs',
  'definitions',
  '$schema',
  '$id',
  'default',
  'prefixItems',
]);

class Comparison {
  readonly changes: SchemaChange[] = [];
  readonly #side: SchemaSide;

  constructor(side: SchemaSide) {
    this.#side = side;
  }

  schemas(before: unknown, after: unknown, path: string, level: number): void {
    if (before === after) return;
    if (level > MOST_LEVELS) return this.#say(path, 'unclear', 'is nested too deeply to be compared');
    const [old, now] = [asObject(before), asObject(after)];
    if (!old || !now) {
      if (canonicalJson(before) === canonicalJson(after)) return;
      const direction = after === false ? 'narrower' : before === false ? 'wider' : 'unclear';
      return this.#say(path, direction, after === false ? 'now allows no value' : 'changed');
    }
    this.#types(old, now, path);
    this.#values(old, now, path);
    this.#properties(old, now, path, level);
    this.#further(old, now, path, level);
    for (const keyword of ['$defs', 'definitions']) this.#named(old[keyword], now[keyword], `${path}#`, level);
    this.#items(old, now, path, level);
    const keywords = new Set([...Object.keys(old), ...Object.keys(now)]);
    for (const keyword of keywords)
      if (!handled.has(keyword)) this.#keyword(keyword, old[keyword], now[keyword], path, level);
    if (!isSame(old.default, now.default)) this.#add(path, 'compatible', changeOf('default', old.default, now.default));
  }

  #keyword(keyword: string, before: unknown, after: unknown, path: string, level: number): void {
    const place = subschemas[keyword];
    if (place !== undefined) return this.schemas(before ?? {}, after ?? {}, path + place, level + 1);
    if (isSame(before, after)) return;
    const text = changeOf(keyword, before, after);
    if (wordings.has(keyword) || keyword.startsWith('x-')) return this.#add(path, 'wording', text);
    this.#say(path, directionOf(keyword, before, after), text);
  }

  #types(old: JsonObject, now: JsonObject, path: string): void {
    const [before, after] = [typesOf(old.type), typesOf(now.type)];
    const direction = setGrowth(before, after);
    if (direction !== 'none')
      this.#say(path, direction, `has the type ${shown(now.type)} instead of ${shown(old.type)}`);
  }

  #values(old: JsonObject, now: JsonObject, path: string): void {
    const [before, after] = [valuesOf(old), valuesOf(now)];
    const direction = setGrowth(before, after);
    if (direction === 'none') return;
    const has = (values: readonly unknown[] | undefined, value: unknown) => values?.some((each) => isSame(each, value));
    const removed = before?.filter((value) => after && !has(after, value)) ?? [];
    const added = after?.filter((value) => before && !has(before, value)) ?? [];
    const texts = [
      ...(removed.length > 0 ? [`no longer allows ${list(removed)}`] : []),
      ...(added.length > 0 ? [`also allows ${list(added)}`] : []),
    ];
    if (texts.length === 0) texts.push(after ? `allows only ${list(after)}` : 'allows other values too');
    this.#say(path, direction, texts.join(' and '));
  }

  #properties(old: JsonObject, now: JsonObject, path: string, level: number): void {
    const [before, after] = [asObject(old.properties) ?? {}, asObject(now.properties) ?? {}];
    const [needed, needs] = [stringsOf(old.required), stringsOf(now.required)];
    for (const name of new Set([...Object.keys(before), ...Object.keys(after), ...needed, ...needs])) {
      const place = path === '' ? name : `${path}.${name}`;
      const [was, is] = [Object.hasOwn(before, name), Object.hasOwn(after, name)];
      const isNewlyNeeded = needs.has(name) && !needed.has(name);
      if (was && is) this.schemas(before[name], after[name], place, level + 1);
      // Removing a property is breaking even if further properties are allowed, because the other side sends or reads its value.
      else if (was) this.#add(place, 'breaking', 'was removed');
      else if (is)
        this.#add(
          place,
          isNewlyNeeded && this.#side === 'input' ? 'breaking' : 'compatible',
          isNewlyNeeded ? 'was added, and is required' : 'was added',
        );
      if (isNewlyNeeded && (was || !is)) this.#say(place, 'narrower', 'is now required');
      if (needed.has(name) && !needs.has(name) && is) this.#say(place, 'wider', 'is no longer required');
    }
  }

  /** `additionalProperties` and `unevaluatedProperties`. Absent: any. */
  #further(old: JsonObject, now: JsonObject, path: string, level: number): void {
    const [before, after] = [old.additionalProperties ?? true, now.additionalProperties ?? true];
    if (before === after || isSame(before, after)) return;
    if (after === false) this.#say(path, 'narrower', 'no longer allows further properties');
    else if (before === false) this.#say(path, 'wider', 'now allows further properties');
    else this.schemas(before === true ? {} : before, after === true ? {} : after, `${path}.*`, level + 1);
  }

  #items(old: JsonObject, now: JsonObject, path: string, level: number): void {
    const before = Array.isArray(old.prefixItems) ? old.prefixItems : [];
    const after = Array.isArray(now.prefixItems) ? now.prefixItems : [];
    for (let index = 0; index < Math.max(before.length, after.length); index++) {
      this.schemas(before[index] ?? {}, after[index] ?? {}, `${path}[${index}]`, level + 1);
    }
  }

  #named(before: unknown, after: unknown, path: string, level: number): void {
    const [old, now] = [asObject(before) ?? {}, asObject(after) ?? {}];
    // A definition that only one version has is not a change by itself, because the references to the definition differ too.
    for (const name of Object.keys(old))
      if (Object.hasOwn(now, name)) this.schemas(old[name], now[name], `${path}${name}`, level + 1);
  }

  #say(path: string, direction: Direction, text: string): void {
    if (direction === 'none') return;
    const harmless = this.#side === 'input' ? 'wider' : 'narrower';
    this.#add(path, direction === harmless ? 'compatible' : 'breaking', text);
  }

  #add(path: string, effect: SchemaEffect, text: string): void {
    if (this.changes.length < MOST_CHANGES) this.changes.push({ path, effect, text });
  }
}

/** `true` is the schema of every value. */
function asObject(schema: unknown): JsonObject | undefined {
  if (schema === true) return {};
  return isObject(schema) ? schema : undefined;
}

/** Undefined if the schema does not limit the type. `integer` is part of `number`. */
function typesOf(type: unknown): string[] | undefined {
  const types =
    typeof type === 'string'
      ? [type]
      : Array.isArray(type)
        ? type.filter((each) => typeof each === 'string')
        : undefined;
  return types?.flatMap((each) => (each === 'number' ? ['number', 'integer'] : [each]));
}

function valuesOf({ enum: values, const: only }: JsonObject): readonly unknown[] | undefined {
  return only === undefined ? (Array.isArray(values) ? values : undefined) : [only];
}

function stringsOf(value: unknown): Set<string> {
  return new Set(Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []);
}

/** Compares sets of allowed values. An absent set allows every value. */
function setGrowth(before: unknown, after: unknown): Direction {
  if (before === undefined || after === undefined) {
    return before === after ? 'none' : before === undefined ? 'narrower' : 'wider';
  }
  if (!Array.isArray(before) || !Array.isArray(after)) return isSame(before, after) ? 'none' : 'unclear';
  const [old, now] = [new Set(before.map(canonicalJson)), new Set(after.map(canonicalJson))];
  const lost = [...old].some((each) => !now.has(each));
  const won = [...now].some((each) => !old.has(each));
  return lost && won ? 'unclear' : lost ? 'narrower' : won ? 'wider' : 'none';
}

/** The direction of a change of a keyword without subschemas. A schema with the keyword allows fewer values than a schema without it. */
function directionOf(keyword: string, before: unknown, after: unknown): Direction {
  if (before === undefined) return 'narrower';
  if (after === undefined) return 'wider';
  if (alternatives.has(keyword)) return setGrowth(before, after);
  if (typeof before !== 'number' || typeof after !== 'number') return 'unclear';
  if (minimums.has(keyword)) return after > before ? 'narrower' : 'wider';
  if (maximums.has(keyword)) return after > before ? 'wider' : 'narrower';
  return 'unclear';
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || (one !== undefined && other !== undefined && canonicalJson(one) === canonicalJson(other));
}

function changeOf(keyword: string, before: unknown, after: unknown): string {
  if (before === undefined) return `has a new ${keyword}: ${shown(after)}`;
  if (after === undefined) return `no longer has ${keyword}`;
  return `has another ${keyword}: ${shown(after)} instead of ${shown(before)}`;
}

function list(values: readonly unknown[]): string {
  const few = values.slice(0, 5).map(shown).join(', ');
  return values.length > 5 ? `${few} and ${values.length - 5} more` : few;
}

function shown(value: unknown): string {
  if (value === undefined) return 'any';
  const text = canonicalJson(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
