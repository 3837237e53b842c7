// One tool of an MCP server, served as a LiteMCP server. Every error is a result with `error` and the message. A LiteMCP client that
// disconnects cancels its calls.

import { DEFAULT_MAX_FRAME_VALUES, ValueBudget } from '../base/count-json-values.ts';
import { StandpipeError, toError, UsageError } from '../base/errors.ts';
import { isObject, setOwn } from '../base/json-object.ts';
import type { Client } from '../mcp/client/client.ts';
import { alternatives, propertiesOf, requiredOf } from '../mcp/schema-alternatives.ts';
import type { JsonSchema, Tool as McpTool } from '../mcp/types.ts';
import { errorResponse } from './call-result.ts';
import { fromMcpResult } from './mcp-result.ts';
import { LiteMcpServer, type LiteMcpServerOptions } from './server.ts';
import type { Parameter } from './tool.ts';
import { parserOf, requireRoom, textOfValue } from './values.ts';

export type ToolCaller = Pick<Client, 'listTools' | 'callTool'>;

/** Rejects if the MCP server has no tool of this name. Later changes to the tool are not noticed. */
export async function mcpToolAsLiteMcp(
  client: ToolCaller,
  toolName: string,
  options?: LiteMcpServerOptions,
): Promise<LiteMcpServer> {
  const { tools } = await client.listTools();
  const tool = tools.find(({ name }) => name === toolName);
  if (!tool) throw unknownTool(toolName, tools);
  const parameters = parametersOf(tool.inputSchema);
  const definition = { name: tool.name, description: tool.description ?? tool.title, parameters };
  return new LiteMcpServer(
    definition,
    async (_values, call) => {
      const read = readArguments(parameters, call.arguments);
      if ('problem' in read) return errorResponse(read.problem);
      try {
        return fromMcpResult(await client.callTool(tool.name, read.arguments, { signal: call.signal }));
      } catch (error) {
        // Other errors are defects of this program, unless the client has disconnected. They are logged with their stack.
        if (error instanceof StandpipeError || call.signal.aborted) return errorResponse(toError(error).message);
        throw error;
      }
    },
    options,
  );
}

function unknownTool(name: string, tools: readonly McpTool[]): UsageError {
  const there = tools.map((tool) => JSON.stringify(tool.name)).join(', ');
  return new UsageError('NAME_UNKNOWN', `The server has no tool named ${JSON.stringify(name)}`, {
    hint: there === '' ? 'It has no tools.' : `It has ${there}.`,
  });
}

interface SchemaParameter extends Parameter {
  /** Parses a text; undefined if the argument is omitted. Throws if the text does not fit. */
  read(text: string, budget: ValueBudget): unknown;
}

/**
 * Converts the input schema of an MCP tool to parameters of a LiteMCP tool: required ones first. LiteMCP has no optional parameters: those
 * are marked with a question mark, and an empty string omits one. Texts are parsed by the types of the schema before they are sent.
 */
export function parametersOf(inputSchema: JsonSchema): SchemaParameter[] {
  const properties = propertiesOf(inputSchema);
  const required = new Set(requiredOf(inputSchema));
  const names = [...required, ...Object.keys(properties).filter((name) => !required.has(name))];
  return names.map((name) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return parameterOf(name, isObject(schema) ? schema : {}, inputSchema, !required.has(name));
  });
}

export function readArguments(
  parameters: readonly SchemaParameter[],
  texts: readonly string[],
): { arguments: Record<string, unknown> } | { problem: string } {
  const values: Record<string, unknown> = {};
  const budget = new ValueBudget(DEFAULT_MAX_FRAME_VALUES);
  for (const [i, { name, read }] of parameters.entries()) {
    try {
      const value = read(texts[i]!, budget);
      if (value !== undefined) setOwn(values, name, value);
    } catch (error) {
      return { problem: `The argument ${JSON.stringify(name)} does not fit: ${toError(error).message}` };
    }
  }
  return { arguments: values };
}

function parameterOf(name: string, schema: JsonSchema, root: JsonSchema, optional: boolean): SchemaParameter {
  const { word, nullable } = schemaType(schema, root);
  // A required string may be empty, so an empty text cannot mean null.
  const mayBeEmpty = optional || (nullable && word !== 'string');
  const parse = word === 'any' ? jsonOrText : parserOf(word);
  const parameter: SchemaParameter = {
    name,
    type: mayBeEmpty ? `${word}?` : word,
    read: (text, budget) => (mayBeEmpty && text === '' ? (optional ? undefined : null) : parse(text, budget)),
  };
  const description = describe(schema, mayBeEmpty && (optional ? 'leaves it out' : 'is null'));
  if (description !== '') parameter.description = description;
  const example = firstOf(schema.examples) ?? schema.default;
  if (example !== undefined && example !== null) parameter.example = textOfValue(example);
  return parameter;
}

/** Includes facts for which LiteMCP has no field. */
function describe(schema: JsonSchema, emptyMeans: string | false): string {
  const { description, title, enum: choices, default: preset } = schema;
  const parts = [description ?? title].filter((part) => typeof part === 'string');
  if (Array.isArray(choices)) parts.push(`(one of: ${choices.map((choice) => JSON.stringify(choice)).join(', ')})`);
  if (preset !== undefined && preset !== null) parts.push(`(default: ${JSON.stringify(preset)})`);
  if (emptyMeans) parts.push(`(an empty string ${emptyMeans})`);
  return parts.join(' ');
}

/** Parses text that is valid JSON, for any type. */
function jsonOrText(text: string, budget: ValueBudget): unknown {
  requireRoom(text, budget);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function firstOf(examples: unknown): unknown {
  return Array.isArray(examples) ? examples[0] : undefined;
}

type SchemaWord = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'any';

const words = new Set<unknown>(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/** The type of a schema if it has a single one, otherwise `any`. The MCP server decides whether a value fits. */
function schemaType(schema: JsonSchema, root: JsonSchema): { word: SchemaWord; nullable: boolean } {
  const found = new Set(alternatives(schema, root).flatMap(wordsOf));
  const nullable = found.delete('null');
  if (found.has('number')) found.delete('integer');
  const [word = 'any', ...others] = found;
  return { word: others.length > 0 ? 'any' : (word as SchemaWord), nullable };
}

function wordsOf(schema: JsonSchema): string[] {
  const { type, enum: choices } = schema;
  if (typeof type === 'string') return words.has(type) ? [type] : [];
  if ('const' in schema) return [wordOfValue(schema.const)];
  if (Array.isArray(choices)) return choices.map(wordOfValue);
  if ('properties' in schema) return ['object'];
  return 'items' in schema ? ['array'] : ['any'];
}

function wordOfValue(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
