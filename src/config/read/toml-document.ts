// Parses TOML into the tree of a JSON document. Tables, dotted keys and inline tables are objects. Messages do not quote the text,
// which may be a secret.

import type { TomlDocument } from '@decimalturn/toml-patch';
import type { Node } from 'jsonc-parser';
import { nestsTooDeeply } from '../../base/text-nesting.ts';
import { valueIn } from '../hosts/formats/nodes.ts';
import { type JsonDocument, type SourceText, sourceText, TOO_DEEP } from './json-document.ts';

type Block = TomlDocument['cst'][number];
type KeyValue = Extract<Block, { equals: number }>;
type Value = KeyValue['value'];

export async function parseToml(fileText: string, file: string): Promise<JsonDocument> {
  const { parseDocument } = await import('@decimalturn/toml-patch');
  const source = sourceText(fileText, file);
  if (nestsTooDeeply(source.text)) return source.faulty(0, TOO_DEEP);
  try {
    const document = parseDocument(source.text, { integersAsBigInt: false });
    void document.toJsObject; // reports keys that are defined twice
    return { file, root: treeOf(document.cst, source), fault: undefined, at: source.at };
  } catch (error) {
    const { line, column } = error as { line?: number; column?: number };
    const offset = line === undefined ? 0 : source.offsetOf({ line, column: column ?? 0 });
    return source.faulty(offset, 'Not TOML: there is a syntax error here, or a key is defined twice');
  }
}

function treeOf(blocks: readonly Block[], source: SourceText): Node {
  const root: Node = { type: 'object', offset: 0, length: source.text.length, children: [] };
  for (const block of blocks) {
    if (block.type === 'KeyValue') addPair(root, block as KeyValue, source);
    if (block.type !== 'Table' && block.type !== 'TableArray') continue;
    const { key, items } = block as Extract<Block, { items: unknown }>;
    const at = spanOf(key.item, source);
    const table = tableAt(root, key.item.value, at, block.type === 'TableArray');
    for (const item of items) if (item.type === 'KeyValue') addPair(table, item as KeyValue, source);
  }
  return root;
}

function addPair(table: Node, { key, value }: KeyValue, source: SourceText): void {
  const at = spanOf(key, source);
  const holder = tableAt(table, key.value.slice(0, -1), at, false);
  add(holder, key.value.at(-1)!, nodeOf(value, source), at);
}

/** The object at a path, created if it is missing. For an array of tables, its last table. */
function tableAt(from: Node, path: readonly string[], at: Span, append: boolean): Node {
  return path.reduce((table, name, index) => {
    const found = valueIn(table, name);
    const isLast = append && index === path.length - 1;
    if (found && !isLast) return found.type === 'array' ? found.children!.at(-1)! : found;
    const created: Node = { type: 'object', ...at, children: [] };
    if (found) found.children!.push(created);
    else add(table, name, isLast ? { type: 'array', ...at, children: [created] } : created, at);
    return created;
  }, from);
}

function add(table: Node, name: string, value: Node, at: Span): void {
  table.children!.push({ type: 'property', ...at, children: [{ type: 'string', ...at, value: name }, value] });
}

function nodeOf(value: Value, source: SourceText): Node {
  const at = spanOf(value, source);
  switch (value.type as string) {
    case 'InlineArray': {
      const { items } = value as Extract<Value, { items: unknown }>;
      return { type: 'array', ...at, children: items.map(({ item }) => nodeOf(item as Value, source)) };
    }
    case 'InlineTable': {
      const table: Node = { type: 'object', ...at, children: [] };
      const { items } = value as Extract<Value, { items: unknown }>;
      for (const { item } of items) addPair(table, item as KeyValue, source);
      return table;
    }
    case 'DateTime':
      return { type: 'string', ...at, value: (value as { raw: string }).raw };
    default: {
      const scalar = (value as { value: unknown }).value;
      return { type: typeof scalar as 'string' | 'number' | 'boolean', ...at, value: scalar };
    }
  }
}

interface Span {
  offset: number;
  length: number;
}

function spanOf({ loc }: Pick<Value, 'loc'>, source: SourceText): Span {
  const offset = source.offsetOf(loc.start);
  return { offset, length: source.offsetOf(loc.end) - offset };
}
