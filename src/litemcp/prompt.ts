// Describes a tool as prompt text: its purpose, its parameters, and the exact line that calls it. Short, because it is
// part of every conversation; exact, because model-reply.ts parses the reply. Descriptions are reduced to one line
// each, so that they cannot imitate other lines of the prompt.

import type { Parameter, Tool } from './tool.ts';

/** The text for one tool or for several; a reply calls one of them. */
export function toolPrompt(tools: Tool | readonly Tool[]): string {
  const list = isList(tools) ? tools : [tools];
  const [first] = list;
  if (!first) return '';
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

function isList(tools: Tool | readonly Tool[]): tools is readonly Tool[] {
  return Array.isArray(tools);
}
