// The call of the one tool that the check may make. LiteMCP has no hint that a tool only reads, so the tool is called only if the user names
// it. Its arguments are those of the user, and then no others are ever used; otherwise the examples of its parameters.

import { UsageError } from '../../../base/errors.ts';
import { globMatcher } from '../../../base/glob.ts';
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { textOf } from '../../../base/text-of.ts';
import { layOutArguments } from '../../../litemcp/arguments.ts';
import type { Tool } from '../../../litemcp/tool.ts';
import { type Kind, kindOf } from '../../../litemcp/values.ts';
import { PROTOCOL_VERSION } from '../../../litemcp/version.ts';
import type { NamedCall } from '../../server/calls.ts';

export interface PermittedCall {
  readonly tool: string;
  readonly arguments: readonly string[];
  /** Names of the parameters, in order. */
  readonly names: readonly string[];
  /** The user gave the arguments: no others may be tried. */
  readonly areGiven: boolean;
}

/** `info`: data of the answer. Undefined if the tool may not be called. */
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

/** What a client sends for `arguments`. */
export function callData(tool: string, args: readonly unknown[]): JsonObject {
  return { version: PROTOCOL_VERSION, tool, arguments: args };
}

export function parametersOf({ parameters }: JsonObject): JsonObject[] {
  return Array.isArray(parameters) ? parameters.filter(isObject) : [];
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
