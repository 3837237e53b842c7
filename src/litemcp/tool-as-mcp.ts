// A LiteMCP tool as an MCP tool: parameters become the properties of an input schema, and named arguments become the strings of a call,
// in order. The type of a parameter is a hint: a string is always sent unchanged; any other value must match the schema.

import { SHARED_MAX_FRAME_VALUES, ValueBudget } from '../base/count-json-values.ts';
import { UsageError } from '../base/errors.ts';
import { isObject, jsonKind, setOwn } from '../base/json-object.ts';
import type { Implementation, JsonSchema, Tool as McpTool } from '../mcp/types.ts';
import { byName, type LaidOut, layOutArguments, wrongCount } from './arguments.ts';
import type { Parameter, Tool } from './tool.ts';
import { type Kind, kindOf, parserOf } from './values.ts';

export interface ToolAsMcp {
  tool: Tool;
  definition: McpTool;
  /** Converts arguments by schema name to the strings of a call. */
  layOut(args: Readonly<Record<string, unknown>>): LaidOut;
}

const LONGEST_NAME = 128;

export function toolAsMcp(tool: Tool): ToolAsMcp {
  const named: Tool = { ...tool, parameters: uniquelyNamed(tool.parameters) };
  const kinds = named.parameters.map(({ type }) => kindOf(type));
  return {
    tool,
    definition: define(named),
    layOut(args) {
      const laidOut = layOutArguments(named, args);
      if ('problem' in laidOut) return laidOut;
      const at = named.parameters.findIndex(({ name }, i) => !fits(kinds[i], args[name]));
      return at < 0 ? laidOut : { problem: misfit(named.parameters[at]!, kinds[at], args) };
    },
  };
}

/** Converts values by position, as typed on a command line, to the arguments of a tool described here. */
export function argumentsByPosition(
  { name, title, inputSchema }: McpTool,
  values: readonly string[],
): Record<string, string> {
  const parameters = (inputSchema.required as string[]).map((parameter) => ({ name: parameter }));
  const problem = wrongCount({ name: title ?? name, parameters }, values.length);
  if (problem !== undefined) throw new UsageError('INVALID_OPTION', problem);
  return byName(parameters, values);
}

/** LiteMCP does not have a server version, so the version of the protocol is used. */
export function serverInfoOf({ name, description, version }: Tool): Implementation {
  const info: Implementation = { name, version: version.join('.') };
  return description === undefined ? info : { ...info, description };
}

/** Replaces characters that MCP does not allow in the name of a tool. The title keeps the original name. */
export function mcpNameOf(name: string): string {
  const valid = name.replaceAll(/[^A-Za-z0-9_.-]+/g, '_').slice(0, LONGEST_NAME);
  return /[A-Za-z0-9]/.test(valid) ? valid : 'tool';
}

function define({ name, description, example, parameters }: Tool): McpTool {
  const properties: Record<string, JsonSchema> = {};
  const budget = new ValueBudget(SHARED_MAX_FRAME_VALUES);
  for (const parameter of parameters) setOwn(properties, parameter.name, schemaOf(parameter, budget));
  // `required` has the order of the parameters; objects put names that look like numbers first.
  const required = parameters.map((parameter) => parameter.name);
  const inputSchema = { type: 'object', properties, required, additionalProperties: false } as const;
  const words = [description, example === undefined ? undefined : `Example: ${example}`].filter(Boolean).join('\n');
  const shown = { name: mcpNameOf(name), title: name, inputSchema };
  return words === '' ? shown : { ...shown, description: words };
}

function schemaOf({ type, description, example }: Parameter, budget: ValueBudget): JsonSchema {
  const kind = kindOf(type);
  const schema: JsonSchema = {};
  if (kind !== 'json') schema.type = kind ?? 'string';
  const words = [description, hintOf(type, kind)].filter(Boolean).join(' ');
  if (words !== '') schema.description = words;
  if (example !== undefined) schema.examples = [exampleOf(type, example, budget)];
  return schema;
}

/** The part of a type that the schema cannot express. */
function hintOf(type: string, kind: Kind | undefined): string | undefined {
  if (kind === 'json') return '(any JSON value; a string is read as JSON text)';
  return kind === undefined && !/^(string|str|text)?$/i.test(type.trim()) ? `(${type})` : undefined;
}

function exampleOf(type: string, example: string, budget: ValueBudget): unknown {
  try {
    return parserOf(type)(example, budget);
  } catch {
    return example; // the example is in words, or too large to be parsed
  }
}

function fits(kind: Kind | undefined, value: unknown): boolean {
  if (typeof value === 'string') return true;
  if (kind === undefined) return typeof value === 'number' || typeof value === 'boolean'; // numbers and booleans have exactly one text form
  if (kind === 'integer') return Number.isInteger(value);
  if (kind === 'object') return isObject(value);
  if (kind === 'array') return Array.isArray(value);
  return kind === 'json' || typeof value === kind;
}

function misfit({ name }: Parameter, kind: Kind | undefined, args: Readonly<Record<string, unknown>>): string {
  return `The argument ${JSON.stringify(name)} must be of type ${kind ?? 'string'}, not ${jsonKind(args[name])}`;
}

/** Makes names unique, because the protocol allows two parameters with the same name. */
function uniquelyNamed(parameters: readonly Parameter[]): Parameter[] {
  const taken = new Set<string>();
  return parameters.map((parameter) => {
    let { name } = parameter;
    for (let n = 2; taken.has(name); n++) name = `${parameter.name}_${n}`;
    taken.add(name);
    return name === parameter.name ? parameter : { ...parameter, name };
  });
}
