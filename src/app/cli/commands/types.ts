// `standpipe types`: writes a TypeScript type of the tools of a server, for `connect<…>` and `callTool`.

import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { follow, objectSchema } from '../../../mcp/schema-alternatives.ts';
import type { Tool } from '../../../mcp/types.ts';
import { type CommandBody, type CommandModule, invalidOption } from '../invocation.ts';
import { checkOutput, savePieces } from '../output/content.ts';
import { findServer } from '../servers/find-server.ts';
import { withHost } from '../servers/reach-host.ts';
import { isOpen } from '../values/property-schema.ts';
import { addAddressOptions, addServerOptions, help, serverOptions } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command
    .argument('[server]', 'server name in the config')
    .option('--output <file>', 'write the types to this file (default: stdout)');
  addAddressOptions(addServerOptions(command));
  help(
    command,
    `The type has the input and the structured output of each tool:
  const client = await connect<WeatherTools>({ command: 'weather' });
  await client.callTool('forecast', { city: 'Oslo' }); // checked by tsc`,
    'types weather --output weather-tools.ts',
    'types -- node server.mjs > tools.ts',
    'types http://127.0.0.1:3000/mcp > tools.ts',
  );
  command.action(run(types));
};

const types: CommandBody = async (invocation, [name], options) => {
  const { output } = options as { output?: string };
  await checkOutput(output);
  return withHost(invocation, serverOptions(options), async (reached) => {
    const { out, settings } = invocation;
    const given = name ?? reached.only;
    if (given === undefined) {
      throw invalidOption('No server was given', `${ownCommand} types <server>, or ${ownCommand} types -- <command …>`);
    }
    const { name: server } = await findServer(given, reached, settings);
    out.activity.begin('listing tools');
    const { tools } = await reached.host.client(server).listTools();
    const text = typesOf(server, tools);
    out.activity.end();
    const saved =
      output === undefined ? [] : await savePieces([{ mimeType: undefined, bytes: Buffer.from(text) }], output);
    for (const file of saved) out.say(`Saved ${visibleLine(file)}`);
    if (out.json) out.document({ server, name: typeName(server), types: text, saved });
    else if (output === undefined) out.text(text);
    return undefined;
  });
};

/** For example `add(a: number, b?: number): { sum: number }`. */
export function signatureOf({ name, inputSchema, outputSchema }: Tool): string {
  const writer = new TypeWriter(inputSchema);
  const top = objectSchema(inputSchema, inputSchema);
  const parameters = writer.membersOf(top, 0, ', ') || (isOpen(top) ? '[name: string]: unknown' : '');
  const result = outputSchema ? `: ${new TypeWriter(outputSchema).typeOf(outputSchema)}` : '';
  return `${name}(${parameters})${result}`;
}

/** A module with one type, for the tools of one server. */
export function typesOf(server: string, tools: readonly Tool[]): string {
  const entries = tools.map(({ name, description, inputSchema, outputSchema }) => {
    const input = new TypeWriter(inputSchema).typeOf(inputSchema);
    const output = outputSchema ? new TypeWriter(outputSchema).typeOf(outputSchema) : 'unknown';
    return `${comment(description)}  ${propertyName(name)}: { input: ${input}; output: ${output} };\n`;
  });
  return `// The tools of ${oneLine(server)}, written by \`standpipe types\`.\n\nexport type ${typeName(server)} = {\n${entries.join('')}};\n`;
}

/** Derives the name of the type from that of the server: `my-weather` becomes `MyWeatherTools`. */
function typeName(server: string): string {
  const words = server.split(/[^A-Za-z0-9]+/).filter(Boolean);
  const name = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
  return `${/^[A-Z]/.test(name) ? name : `Server${name}`}Tools`;
}

function comment(description: unknown): string {
  if (typeof description !== 'string' || description.trim() === '') return '';
  return `  /** ${oneLine(description.trim().split('\n')[0]!).replaceAll('*/', '*\\/')} */\n`;
}

function oneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]+/g, ' ');
}

const plainTypes: ReadonlyMap<unknown, string> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'boolean'],
  ['null', 'null'],
]);
const DEEPEST = 12;
/** Limit for the types of one tool. Further types are `unknown`. */
const MOST_TYPES = 2000;

/**
 * Converts a JSON Schema to a TypeScript type. Constraints that TypeScript cannot express (ranges, patterns) are dropped; unknown constructs
 * become `unknown`. Schemas come from servers, so the conversion never throws and its time and output are limited.
 */
class TypeWriter {
  readonly #root: JsonObject;
  #left = MOST_TYPES;

  /** `root`: the schema in which references are resolved. */
  constructor(root: JsonObject) {
    this.#root = root;
  }

  typeOf(schema: unknown, depth = 0): string {
    if (!isObject(schema) || depth > DEEPEST || --this.#left < 0) return 'unknown';
    const inside = (part: unknown) => this.typeOf(part, depth + 1);
    if (typeof schema.$ref === 'string') return inside(follow(schema.$ref, this.#root));
    if ('const' in schema) return literal(schema.const);
    if (Array.isArray(schema.enum)) return union(schema.enum.map(literal));
    const { anyOf, oneOf, allOf } = schema;
    const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
    const own = schema.type !== undefined || isObject(schema.properties) ? this.#plain(schema, depth) : undefined;
    const parts = [
      ...(own === undefined ? [] : [own]),
      ...(Array.isArray(allOf) ? allOf.map(inside) : []),
      ...(choices ? [union(choices.map(inside))] : []),
    ].filter((part) => part !== 'unknown');
    const isPlainObject = (part: string) => part === '{ [name: string]: unknown }';
    const telling = parts.length > 1 ? parts.filter((part) => !isPlainObject(part)) : parts;
    if (telling.length < 2) return telling[0] ?? 'unknown';
    return telling.map((part) => (part.includes(' | ') ? `(${part})` : part)).join(' & ');
  }

  /** Describes the members of an object in one line, for example `a: number; b?: string`. */
  membersOf(schema: JsonObject, depth = 0, separator = '; '): string {
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
    const members = properties.map(
      ([name, type]) => `${propertyName(name)}${required.has(name) ? '' : '?'}: ${this.typeOf(type, depth + 1)}`,
    );
    return members.join(separator);
  }

  #plain(schema: JsonObject, depth: number): string {
    const { type } = schema;
    if (Array.isArray(type)) return union(type.map((each) => this.#plain({ ...schema, type: each }, depth)));
    if (type === undefined || type === 'object') return this.#object(schema, depth);
    if (type !== 'array') return plainTypes.get(type) ?? 'unknown';
    const item = this.typeOf(schema.items, depth + 1);
    return /^[\w"]+$/.test(item) ? `${item}[]` : `Array<${item}>`;
  }

  #object(schema: JsonObject, depth: number): string {
    const members = this.membersOf(schema, depth);
    const { additionalProperties: others } = schema;
    if (members !== '') return others === true ? `{ ${members}; [name: string]: unknown }` : `{ ${members} }`;
    if (others === false) return 'Record<string, never>';
    return `{ [name: string]: ${isObject(others) ? this.typeOf(others, depth + 1) : 'unknown'} }`;
  }
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__' ? name : JSON.stringify(name);
}

function literal(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'unknown' : (JSON.stringify(value) ?? 'unknown');
}

function union(types: readonly string[]): string {
  if (types.length === 0 || types.includes('unknown')) return 'unknown';
  return [...new Set(types)].join(' | ');
}
