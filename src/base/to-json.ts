// Serializes the caller's values as JSON, with the same result on every version of Node.js and an error that gives the reason.

import { UsageError } from './errors.ts';
import { isNestedTooDeeply, MAX_NESTING } from './nesting.ts';
import { spliceRawJson } from './raw-json.ts';

/** The text of a value nested too deeply has at least this many characters, so shorter texts need no check. */
const SHORTEST_TOO_DEEP = 2 * (MAX_NESTING + 1);

/** Returns the text, or a UsageError with the reason. */
export function toJson(value: unknown): string | UsageError {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (cause) {
    // The stack may overflow before the nesting is checked.
    if (cause instanceof RangeError && isNestedTooDeeply(value)) return tooDeep(cause);
    return new UsageError('MESSAGE_NOT_SERIALIZABLE', `Cannot be serialized as JSON: ${(cause as Error).message}`, {
      cause,
      hint: 'Remove BigInt values and circular references.',
    });
  }
  if (json === undefined) {
    return new UsageError('MESSAGE_NOT_SERIALIZABLE', `Cannot be serialized as JSON: ${typeof value}`);
  }
  return json.length >= SHORTEST_TOO_DEEP && isNestedTooDeeply(value) ? tooDeep() : spliceRawJson(json);
}

/** Returns the text, or throws the UsageError of `toJson`. */
export function requireJson(value: unknown): string {
  const json = toJson(value);
  if (typeof json === 'string') return json;
  throw json;
}

function tooDeep(cause?: Error): UsageError {
  const levels = MAX_NESTING.toLocaleString('en');
  return new UsageError('MESSAGE_NOT_SERIALIZABLE', `Nested too deeply: the limit is ${levels} levels`, {
    cause,
    hint: 'Send flatter data, or send the JSON as a string.',
  });
}
