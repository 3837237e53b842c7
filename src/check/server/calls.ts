// The tools that the check may call, and their arguments. A tool without `readOnlyHint` may have effects: it is called only if the user names it.

import { UsageError } from '../../base/errors.ts';
import { globMatcher } from '../../base/glob.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import { orderedJson } from '../../base/ordered-json.ts';
import { hintOfNames } from '../../config/nearest.ts';
import { acceptedArguments } from './sample-arguments.ts';

export interface PermittedCall {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly tool: JsonObject;
}

/** `name`, or `name={"json":"arguments"}`. A name may contain `*`. */
export interface NamedCall {
  readonly name: string;
  readonly arguments?: JsonObject;
}

export interface PermittedCalls {
  readonly calls: readonly PermittedCall[];
  /** Tools that may be called, but the check found no arguments that their schemas accept. */
  readonly withoutArguments: readonly JsonObject[];
}

/** Throws a usage error for a name that no tool has. Patterns may match nothing; without tools, the rules about lists report why. */
export function mustBeTools(named: readonly NamedCall[], tools: readonly JsonObject[]): void {
  const names = [...new Set(tools.map(({ name }) => name).filter((name) => typeof name === 'string'))];
  const unknown =
    names.length === 0 ? undefined : named.find(({ name }) => !name.includes('*') && !names.includes(name));
  if (unknown === undefined) return;
  const hint = hintOfNames(unknown.name, names, undefined);
  throw new UsageError(
    'INVALID_OPTION',
    `The server has no tool "${unknown.name}"`,
    hint === undefined ? {} : { hint },
  );
}

/** Limit of the calls: rules need only a few, and a schema is compiled for each call with made-up arguments. */
const MOST_CALLS = 100;

/** `long`: a call that takes seconds. It is left out, unless the user allows this call by its arguments. Other calls of its tool remain. */
export async function permittedCalls(
  tools: readonly JsonObject[],
  allowed: readonly NamedCall[],
  long?: PermittedCall,
): Promise<PermittedCalls> {
  const named = allowed.map((each) => ({ ...each, isNamed: globMatcher(each.name) }));
  const calls: PermittedCall[] = [];
  const withoutArguments: JsonObject[] = [];
  for (const tool of tools) {
    const { name } = tool;
    if (calls.length + withoutArguments.length >= MOST_CALLS) break;
    if (typeof name !== 'string') continue;
    const given = named.find(({ isNamed }) => isNamed(name));
    const isReadOnly = isObject(tool.annotations) && tool.annotations.readOnlyHint === true;
    if (!given && !isReadOnly) continue;
    const found = given?.arguments ?? (await acceptedArguments(tool.inputSchema));
    const isLong = !given?.arguments && long?.name === name && orderedJson(found) === orderedJson(long.arguments);
    if (isLong) continue;
    if (found) calls.push({ name, tool, arguments: found });
    else withoutArguments.push(tool);
  }
  return { calls, withoutArguments };
}
