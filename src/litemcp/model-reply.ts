// Parses a model's reply into a ToolCall. Models wrap JSON in prose and fences, name arguments instead of listing them, write numbers for
// strings, and write their thoughts first; all of that is accepted. For an ambiguous reply, `problem` describes the required change in
// words that can be sent back to the model. Never throws.

import { isObject, jsonKind } from '../base/json-object.ts';
import { jsonObjects } from '../base/top-level-json.ts';
import { layOutArguments } from './arguments.ts';
import { PROTOCOL_VERSION } from './shape.ts';
import type { Parameter, Tool, ToolCall } from './tool.ts';
import { parseValue } from './values.ts';

export type ModelReply =
  | { kind: 'call'; call: ToolCall; tool: Tool }
  /** The model makes no call: its reply is for the user. */
  | { kind: 'text' }
  /** The model meant a call that cannot be made. */
  | { kind: 'invalid'; problem: string };

/** The keys that models use; the prompt asks for the first of each. */
const toolKeys = ['tool', 'name'] as const;
const argumentKeys = ['arguments', 'args', 'parameters'] as const;
const THOUGHT_END = '</think>';

export function parseModelReply(reply: string, tools: Tool | readonly Tool[]): ModelReply {
  const list = Array.isArray(tools) ? (tools as readonly Tool[]) : [tools as Tool];
  const text = reply.slice(endOfThought(reply));
  const calls = new Map<string, ModelReply>();
  let firstProblem: ModelReply | undefined;
  let prose = '';
  let behind = 0;
  for (const { value, start, end } of jsonObjects(text)) {
    prose += text.slice(behind, start);
    behind = end;
    const parsed = parseCall(value, list);
    if (parsed?.kind === 'call') calls.set(JSON.stringify(parsed.call), parsed);
    else firstProblem ??= parsed;
  }
  if (calls.size > 1) return invalid(`The reply holds ${calls.size} different calls: write the one to make now`);
  const [call] = calls.values();
  const meant = call ?? firstProblem;
  if (meant) return meant;
  return looksLikeBrokenCall(prose + text.slice(behind)) ? invalid(brokenJson) : { kind: 'text' };
}

/** Returns undefined for an object that is not a call. */
function parseCall(object: Record<string, unknown>, tools: readonly Tool[]): ModelReply | undefined {
  // A model may write the whole protocol message, with the call in `data`.
  if (object.type === 'call' && isObject(object.data)) return parseCall(object.data, tools);
  const toolKey = toolKeys.find((key) => typeof object[key] === 'string');
  const argumentKey = argumentKeys.find((key) => Object.hasOwn(object, key));
  if (toolKey === undefined || (toolKey !== 'tool' && argumentKey === undefined)) return undefined;
  const name = object[toolKey] as string;
  const tool = tools.find((known) => known.name === name);
  if (!tool) {
    const names = tools.map((known) => JSON.stringify(known.name)).join(', ');
    return invalid(`Unknown tool ${JSON.stringify(name)}; available: ${names}`);
  }
  const args = readArguments(argumentKey === undefined ? undefined : object[argumentKey]);
  if (typeof args === 'string') return invalid(`The arguments of ${tool.name} must be a list, not ${args}`);
  const laidOut = layOutArguments(tool, args);
  if ('problem' in laidOut) return invalid(laidOut.problem);
  return { kind: 'call', tool, call: { version: PROTOCOL_VERSION, tool: name, arguments: laidOut.arguments } };
}

/** The arguments, or the kind of the unusable value. Some models write them as JSON inside a string. */
function readArguments(value: unknown): readonly unknown[] | Record<string, unknown> | string {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) || isObject(value)) return value;
  if (typeof value !== 'string') return jsonKind(value);
  try {
    const inner = parseValue('json', value);
    if (Array.isArray(inner) || isObject(inner)) return inner;
  } catch {
    // an ordinary string instead of a list, or a list with too many values
  }
  return jsonKind(value);
}

const brokenJson =
  'The call is not valid JSON: use double quotes, no comments and no comma before a closing bracket, and close every bracket';
const BEGINS_A_CALL = /\{\s*["'`“]?(?:tool|name|version)["'`”]?\s*:/;
const HAS_ITS_PARTS = /["'`“]?(?:tool|arguments|args|parameters)["'`”]?\s*:/;

function looksLikeBrokenCall(prose: string): boolean {
  return BEGINS_A_CALL.test(prose) && HAS_ITS_PARTS.test(prose);
}

function endOfThought(reply: string): number {
  const end = reply.lastIndexOf(THOUGHT_END);
  return end < 0 ? 0 : end + THOUGHT_END.length;
}

function invalid(problem: string): ModelReply {
  return { kind: 'invalid', problem };
}

/**
 * Describes tools as prompt text: purpose, parameters, and the line that calls the tool, which `parseModelReply` parses. Descriptions are
 * reduced to one line each, so that they cannot imitate other lines of the prompt.
 */
export function toolPrompt(tools: Tool | readonly Tool[]): string {
  const list = Array.isArray(tools) ? (tools as readonly Tool[]) : [tools as Tool];
  if (list.length === 0) return '';
  const rules =
    'To call a tool, reply with one such JSON object and nothing else. The arguments are all of the parameters, in their ' +
    'order, each as a JSON string. If no tool is needed, reply without JSON.';
  return [...list.map(describeTool), rules].join('\n\n');
}

function describeTool(tool: Tool): string {
  const { name, description, example, parameters } = tool;
  return [
    `Tool ${JSON.stringify(name)}${description === undefined ? '' : `: ${oneLine(description)}`}`,
    ...(example === undefined ? [] : [`Example: ${oneLine(example)}`]),
    ...(parameters.length === 0 ? ['Parameters: none'] : ['Parameters:', ...parameters.map(describeParameter)]),
    `Call: ${exampleCall(tool)}`,
  ].join('\n');
}

function describeParameter({ name, type, description, example }: Parameter, i: number): string {
  const what = description === undefined ? '' : `: ${oneLine(description)}`;
  const such = example === undefined ? '' : `, for example ${JSON.stringify(example)}`;
  return `${i + 1}. ${JSON.stringify(name)} (${oneLine(type)})${what}${such}`;
}

function exampleCall({ name, parameters }: Tool): string {
  return JSON.stringify({ tool: name, arguments: parameters.map((p) => p.example ?? `<${p.name}>`) });
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}
