// The capabilities that the schemas define have objects as values. Servers may declare others, of any type.

import { isObject, type JsonObject } from '../../../base/json-object.ts';

const defined = [
  'completions',
  'experimental',
  'extensions',
  'logging',
  'prompts',
  'resources',
  'tasks',
  'tools',
] as const;

/** The first one whose value is not an object. */
export function wrongCapability(capabilities: JsonObject): string | undefined {
  return defined.find((name) => capabilities[name] !== undefined && !isObject(capabilities[name]));
}
