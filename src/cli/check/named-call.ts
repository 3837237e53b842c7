// Calls that the user names: `name`, `name={"json":"arguments"}`, or a pattern such as `*`.

import { UsageError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import type { NamedCall } from '../../check/server/calls.ts';

export function readNamedCall(option: string, text: string): NamedCall {
  const [, name, json] = /^([^=]+)(?:=(.*))?$/s.exec(text) ?? [];
  if (name === undefined) throw invalid(option, text);
  if (json === undefined) return { name };
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw invalid(option, text, error);
  }
  if (!isObject(value)) throw invalid(option, text);
  return { name, arguments: value };
}

function invalid(option: string, text: string, cause?: unknown): UsageError {
  return new UsageError('INVALID_OPTION', `${option} cannot be "${text}"`, {
    hint: `Write the name of a tool, or the name and its arguments as a JSON object: ${option} 'search={"query":"x"}'`,
    cause,
  });
}
