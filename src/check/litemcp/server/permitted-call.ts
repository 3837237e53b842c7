// The permitted call, and the members of its result. LiteMCP has no read-only hint, so the tool is called only if the user names it. If the
// user gives arguments, only these are used; otherwise the arguments are the examples of the parameters.

import { UsageError } from '../../../base/errors.ts';
import { globMatcher } from '../../../base/glob.ts';
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { textOf } from '../../../base/text-of.ts';
import { layOutArguments } from '../../../litemcp/arguments.ts';
import { PROTOCOL_VERSION } from '../../../litemcp/shape.ts';
import type { Tool } from '../../../litemcp/tool.ts';
import { type Kind, kindOf } from '../../../litemcp/values.ts';
import type { NamedCall } from '../../server/calls.ts';
import { notApplicable } from '../../verdict.ts';
import type { Message } from '../frames.ts';
import type { LiteRuleRun } from './lite-rule-run.ts';

export interface PermittedCall {
  readonly tool: string;
  readonly arguments: readonly string[];
  /** Names of the parameters, in order. */
  readonly names: readonly string[];
  /** The user gave the arguments: others must not be tried. */
  readonly areGiven: boolean;
}

/** `info`: data of the answer to `get`. Undefined if the tool may not be called. */
export function permittedCall(info: JsonObject, allowed: readonly NamedCall[]): PermittedCall | undefined {
  const { name } = info;
  if (typeof name !== 'string') return undefined;
  const named = allowed.find((each) => globMatcher(each.name)(name));
  if (!named) return undefined;
  const parameters = parametersOf(info);
  const names = parameters.map((parameter) => textOf(parameter.name));
  const areGiven = named.arguments !== undefined;
  const args = areGiven ? given(info, names, named.arguments) : parameters.map(exampleOf);
  return { tool: name, arguments: args, names, areGiven };
}

/** `data` of a `call`. */
export function callData(tool: string, args: readonly unknown[]): JsonObject {
  return { version: PROTOCOL_VERSION, tool, arguments: args };
}

export function parametersOf({ parameters }: JsonObject): JsonObject[] {
  return Array.isArray(parameters) ? parameters.filter(isObject) : [];
}

/** The permitted call of a tool with parameters, if other arguments may be tried. */
export function callWithParameters(ruleRun: LiteRuleRun): PermittedCall {
  const call = ruleRun.freeCall();
  return call.names.length > 0 ? call : notApplicable('the tool has no parameters');
}

/** Returns undefined if the answer is not a result with `params`. */
export function paramsOf({ message }: Message): Record<string, unknown> | undefined {
  return isObject(message.data) && isObject(message.data.params) ? message.data.params : undefined;
}

/**
 * The argument in `params` of the result. Not applicable if the tool refused the call and `params` lacks the argument.
 */
export function paramOf(answer: Message, name: string): unknown {
  return paramsOf(answer)?.[name] ?? notApplicable('the arguments are not in "params" of the result');
}

/** Whether the call failed; undefined if the answer lacks `error`. */
export function isError({ message }: Message): boolean | undefined {
  const response = isObject(message.data) ? message.data.response : undefined;
  return isObject(response) && typeof response.error === 'boolean' ? response.error : undefined;
}

function given(info: JsonObject, names: readonly string[], args: JsonObject): string[] {
  const tool = { name: info.name, parameters: names.map((name) => ({ name, type: 'string' })) } as unknown as Tool;
  const laidOut = layOutArguments(tool, args);
  if ('problem' in laidOut) throw new UsageError('INVALID_OPTION', `Arguments of an allowed call: ${laidOut.problem}`);
  return laidOut.arguments;
}

const shortest: Readonly<Record<Kind, string>> = {
  number: '1',
  integer: '1',
  boolean: 'true',
  object: '{}',
  array: '[]',
  json: 'null',
};

function exampleOf({ example, type }: JsonObject): string {
  if (typeof example === 'string') return example;
  const kind = kindOf(textOf(type));
  return kind === undefined ? 'text' : shortest[kind];
}
