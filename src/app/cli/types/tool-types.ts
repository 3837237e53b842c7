// Writes the tools of a server as TypeScript: signatures to read, and a type for `connect` (docs/client.md).

import { objectSchema } from '../../../mcp/schema-alternatives.ts';
import type { Tool } from '../../../mcp/types.ts';
import { isOpen } from '../values/property-schema.ts';
import { propertyName, TypeWriter } from './type-of-schema.ts';

/** `add(a: number, b?: number): { sum: number }` */
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

/** `my-weather` is MyWeatherTools. */
export function typeName(server: string): string {
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
