// Validates a value against its schema and describes the violations. The validator is loaded on first use. It interprets the schema,
// because the content security policy of the page forbids generated code.

import type { Schema } from '../api/shapes.ts';
import { plainOf } from '../json/exact-json.ts';

const MAX_TOLD = 8;

export async function checkValue(value: unknown, schema: Schema): Promise<string[]> {
  const { Validator } = await import('@cfworker/json-schema');
  try {
    const { valid, errors } = new Validator(schema, draftOf(schema), false).validate(plainOf(value));
    if (valid) return [];
    // Only the innermost of nested errors are specific.
    const inner = errors.filter(({ keyword }) => !/^(?:properties|items|\$ref|allOf|if)$/.test(keyword));
    return [...new Set(inner.map(({ instanceLocation, error }) => placeOf(instanceLocation) + inWords(error)))].slice(
      0,
      MAX_TOLD,
    );
  } catch (error) {
    return [`The server's schema cannot be used: ${(error as Error).message}`];
  }
}

function draftOf({ $schema }: Schema): '4' | '7' | '2019-09' | '2020-12' {
  const name = String($schema ?? '');
  if (name.includes('draft-04')) return '4';
  if (name.includes('draft-07') || name.includes('draft-06')) return '7';
  return name.includes('2019-09') ? '2019-09' : '2020-12';
}

function inWords(error: string): string {
  const missing = /^Instance does not have required property (.*)\.$/.exec(error);
  return missing ? `${missing[1]} is missing` : error.replace(/^Instance /, '').replace(/\.$/, '');
}

function placeOf(location: string): string {
  const path = location.replace(/^#\/?/, '').replaceAll('/', '.');
  return path === '' ? '' : `${path}: `;
}
