// The schema of the form for each kind of offer, and the request made from the form values.

import type { CallRequest } from '../../../../src/app/inspector/api.ts';
import { UriTemplate } from '../../../../src/mcp/uri-template.ts';
import type { Schema } from '../../api/shapes.ts';
import { argumentsOf, parseExact, plainOf } from '../../json/exact-json.ts';
import type { Offered } from './offered.ts';

type Values = Record<string, unknown>;

export function schemaOf(offered: Offered): Schema {
  if (offered.kind === 'tool') return offered.tool.inputSchema;
  if (offered.kind === 'resource') return { type: 'object', properties: {} };
  const names =
    offered.kind === 'template' ? variablesOf(offered.template.uriTemplate) : (offered.prompt.arguments ?? []);
  return {
    type: 'object',
    properties: Object.fromEntries(
      names.map((argument) => [
        argument.name,
        { type: 'string', description: 'description' in argument ? argument.description : undefined },
      ]),
    ),
    required: names.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** `text`: the values as JSON, if they were typed as JSON. */
export function requestOf(offered: Offered, value: unknown, text?: string): CallRequest {
  const values = plainOf(value) as Values;
  switch (offered.kind) {
    case 'tool':
      return { kind: 'tool', name: offered.name, ...argumentsOf(value, text) };
    case 'prompt':
      return { kind: 'prompt', name: offered.name, args: values as Record<string, string> };
    case 'resource':
      return { kind: 'resource', uri: offered.name };
    case 'template':
      return { kind: 'resource', uri: expanded(offered.name, values) };
  }
}

/** The form values that repeat a call of the history. Undefined if the call was not made from this offer. */
export function valuesOf(offered: Offered, given: CallRequest): unknown {
  const request = given.kind === 'request' ? simpleCall(given) : given;
  if (!request) return undefined;
  if (offered.kind === 'tool') {
    if (request.kind !== 'tool' || request.name !== offered.name) return undefined;
    return request.argsText === undefined ? request.args : parseExact(request.argsText);
  }
  if (offered.kind === 'prompt')
    return request.kind === 'prompt' && request.name === offered.name ? request.args : undefined;
  if (request.kind !== 'resource') return undefined;
  if (offered.kind === 'resource') return request.uri === offered.name ? {} : undefined;
  return new UriTemplate(offered.name).match(request.uri);
}

/** A request that was sent again with changes, as the call that a form would make. */
function simpleCall({ method, params, texts = {} }: CallRequest & { kind: 'request' }): CallRequest | undefined {
  const { name, uri, arguments: args = {} } = params;
  if (method === 'resources/read') return { kind: 'resource', uri: String(uri) };
  if (method === 'tools/call') {
    const values = texts.arguments === undefined ? args : parseExact(texts.arguments);
    return { kind: 'tool', name: String(name), ...argumentsOf(values) };
  }
  return method === 'prompts/get'
    ? { kind: 'prompt', name: String(name), args: args as Record<string, string> }
    : undefined;
}

const expression = /\{([+#./;?&]?)([^}]*)\}/g;

/** Variables of a query, of parameters and of a fragment are optional. */
const optional = new Set(['?', '&', ';', '#']);

function variablesOf(template: string): { name: string; required: boolean }[] {
  const found = new Map<string, boolean>();
  for (const [, operator = '', list = ''] of template.matchAll(expression)) {
    for (const name of list.split(',').map(bareName)) {
      if (name !== '') found.set(name, found.get(name) === true || !optional.has(operator));
    }
  }
  return [...found].map(([name, required]) => ({ name, required }));
}

function bareName(name: string): string {
  return name.replace(/(?:\*|:\d+)$/, '').trim();
}

/** Supports the parts of RFC 6570 that resource templates use. */
function expanded(template: string, values: Values): string {
  return template.replace(expression, (_, operator: string, list: string) => {
    const given = list
      .split(',')
      .map(bareName)
      .filter((name) => values[name] !== undefined && values[name] !== '');
    if (given.length === 0) return '';
    const encode = operator === '+' || operator === '#' ? encodeURI : encodeURIComponent;
    const named = operator === '?' || operator === '&' || operator === ';';
    const parts = given.map((name) => (named ? `${name}=` : '') + encode(String(values[name])));
    const separator = { '.': '.', '/': '/', ';': ';', '?': '&', '&': '&' }[operator] ?? ',';
    return (operator === '+' ? '' : operator) + parts.join(separator);
  });
}
