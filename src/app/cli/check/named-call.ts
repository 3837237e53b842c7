// Reads a call of a tool that the user allows.

import type { UsageError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-object.ts';
import type { NamedCall } from '../../../check/server/calls.ts';
import { invalidOption } from '../invocation.ts';

/** A call that the user names: `name`, `name={"json":"arguments"}`, or a pattern such as `*`. */
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
  return invalidOption(
    `${option} cannot be "${text}"`,
    `Write the name of a tool, or the name and its arguments as a JSON object: ${option} 'search={"query":"x"}'`,
    cause,
  );
}
