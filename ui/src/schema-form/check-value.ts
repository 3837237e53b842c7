// Validates a value against its schema and describes the violations, each with its place in the value. The validator is loaded on first
// use. It interprets the schema, because the content security policy of the page forbids generated code.

import type { Schema } from '../api/shapes.ts';
import { plainOf } from '../json/exact-json.ts';

/** One violation. `place`: a JSON pointer into the value that begins with `#`. */
export interface Fault {
  place: string;
  message: string;
}

/** The chosen alternative of each place: the keyword that lists the alternatives, and the position in its list. */
export type Choices = Readonly<Record<string, { keyword: 'anyOf' | 'oneOf'; at: number }>>;

interface Issue {
  keyword: string;
  keywordLocation: string;
  instanceLocation: string;
  error: string;
}

const MAX_TOLD = 50;

/** `choices`: complaints of alternatives that were not chosen are left out. */
export async function checkValue(value: unknown, schema: Schema, choices: Choices = {}): Promise<Fault[]> {
  // A disconnected page cannot load the validator. It cannot call the tool either, and says so.
  const loaded = await import('@cfworker/json-schema').catch(() => undefined);
  if (!loaded) return [];
  const { Validator } = loaded;
  try {
    const { valid, errors } = new Validator(schema, draftOf(schema), false).validate(plainOf(value));
    if (valid) return [];
    const seen = new Set<string>();
    return chosenOnly(errors, choices)
      .map(faultOf)
      .filter(({ place, message }) => !seen.has(place + message) && seen.add(place + message))
      .slice(0, MAX_TOLD);
  } catch (error) {
    return [{ place: '#', message: `The server's schema cannot be used: ${(error as Error).message}` }];
  }
}

/** The place of a member or an item. */
export function placeIn(place: string, name: string | number): string {
  const escaped = String(name).replaceAll('~', '~0').replaceAll('/', '~1');
  return `${place}/${encodeURI(escaped).replaceAll('#', '%23')}`;
}

/** A place as text: `address.street`. */
export function placeWords(place: string): string {
  const parts = place.split('/').slice(1);
  return parts.map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')).join('.');
}

const wrappers = /^(?:properties|items|prefixItems|\$ref|allOf|if)$/;
const alternative = /\/(anyOf|oneOf)\/(\d+)(?=\/|$)/g;

/** Only the innermost of nested errors are specific. Of alternatives, only the chosen one matters. */
function chosenOnly(errors: readonly Issue[], choices: Choices): Issue[] {
  const lists = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  const isChosen = ({ keywordLocation, instanceLocation }: Issue) =>
    [...keywordLocation.matchAll(alternative)].every(({ 1: keyword, 2: at, index }) => {
      const prefix = keywordLocation.slice(0, index);
      const list = lists.find(
        (each) =>
          each.keywordLocation === `${prefix}/${keyword}` &&
          (instanceLocation === each.instanceLocation || instanceLocation.startsWith(`${each.instanceLocation}/`)),
      );
      const choice = list && choices[list.instanceLocation];
      return !choice || (choice.keyword === keyword && choice.at === Number(at));
    });
  const inner = errors.filter((issue) => !wrappers.test(issue.keyword) && isChosen(issue));
  return inner.filter(
    (issue) =>
      !lists.includes(issue) || !inner.some((each) => each.keywordLocation.startsWith(`${issue.keywordLocation}/`)),
  );
}

function faultOf({ keyword, instanceLocation, error }: Issue): Fault {
  const place = instanceLocation.replace(/^#?\/?/, (start) => (start.endsWith('/') ? '#/' : '#'));
  const missing = /^Instance does not have required property "(.*)"\.$/.exec(error)?.[1];
  if (keyword === 'required' && missing !== undefined) {
    return { place: placeIn(place, missing), message: 'is missing' };
  }
  return { place, message: error.replace(/^Instance /, '').replace(/\.$/, '') };
}

function draftOf({ $schema }: Schema): '4' | '7' | '2019-09' | '2020-12' {
  const name = String($schema ?? '');
  if (name.includes('draft-04')) return '4';
  if (name.includes('draft-07') || name.includes('draft-06')) return '7';
  return name.includes('2019-09') ? '2019-09' : '2020-12';
}
