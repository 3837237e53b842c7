// Positional arguments of LiteMCP: `call calculator 2 3`. Named arguments work too; the two cannot be mixed.

import { propertiesOf, requiredOf } from '../../../mcp/schema-alternatives.ts';
import type { JsonSchema, Tool } from '../../../mcp/types.ts';
import { readAssignment, readSource } from './word.ts';

/** Parameters in protocol order. `required` lists all of them and keeps the order even for numeric keys. */
export function parameterNames(schema: JsonSchema): string[] {
  const names = Object.keys(propertiesOf(schema));
  const required = requiredOf(schema);
  return required.length === names.length ? required : names;
}

/** Undefined if the arguments are named. */
export async function readPositional(
  words: readonly string[],
  tool: Tool,
): Promise<Record<string, string> | undefined> {
  const names = parameterNames(tool.inputSchema);
  const isNamed = (word: string) => names.includes(readAssignment(word)?.name ?? '');
  if (words.includes('-') || (words.length > 0 && words.every(isNamed))) return undefined;
  const [{ argumentsByPosition }, ...values] = await Promise.all([
    import('../../../litemcp/tool-as-mcp.ts'),
    ...words.map(readText),
  ]);
  return argumentsByPosition(tool, values);
}

async function readText(word: string): Promise<string> {
  const source = await readSource(word);
  return 'text' in source ? source.text : source.bytes.toString('base64');
}
