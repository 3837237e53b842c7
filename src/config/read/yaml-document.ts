// Parses YAML into the tree of a JSON document. Messages do not quote the text, which may be a secret.

import type { Node } from 'jsonc-parser';
import type { Document, Node as YamlNode } from 'yaml';
import { nestsTooDeeply } from '../../base/text-nesting.ts';
import { type JsonDocument, sourceText, TOO_DEEP } from './json-document.ts';

/** Limit for nodes: nested aliases can expand to any number of them. */
const MOST_NODES = 100_000;

export async function parseYaml(fileText: string, file: string): Promise<JsonDocument> {
  const yaml = await import('yaml');
  const source = sourceText(fileText, file);
  if (nestsTooDeeply(source.text)) return source.faulty(0, TOO_DEEP);
  const document: Document = yaml.parseDocument(source.text, { prettyErrors: false });
  const error = document.errors[0];
  // `BAD_INDENT`: "bad indent".
  if (error) return source.faulty(error.pos[0], `Not YAML: ${error.code.toLowerCase().replaceAll('_', ' ')}`);
  let count = 0;
  const convert = (node: YamlNode | null, at: Span): Node => {
    count += 1;
    if (count > MOST_NODES) throw new RangeError('too many nodes');
    const span = node?.range ? { offset: node.range[0], length: node.range[1] - node.range[0] } : at;
    if (yaml.isAlias(node)) return convert(node.resolve(document) ?? null, span);
    if (yaml.isSeq(node)) {
      return { type: 'array', ...span, children: node.items.map((item) => convert(item as YamlNode, span)) };
    }
    if (!yaml.isMap(node)) return scalar(yaml.isScalar(node) ? node.value : null, span);
    const children = node.items.map((pair): Node => {
      const key = convert(pair.key as YamlNode, span);
      const name: Node = { type: 'string', offset: key.offset, length: key.length, value: String(key.value) };
      const value = convert(pair.value as YamlNode | null, { offset: key.offset, length: key.length });
      return { type: 'property', offset: key.offset, length: key.length, children: [name, value] };
    });
    return { type: 'object', ...span, children };
  };
  try {
    const whole = { offset: 0, length: source.text.length };
    const root: Node = document.contents
      ? convert(document.contents, whole)
      : { type: 'object', ...whole, children: [] };
    return { file, root, fault: undefined, at: source.at };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return source.faulty(0, 'Not a config: its aliases expand to too many values');
  }
}

interface Span {
  offset: number;
  length: number;
}

function scalar(value: unknown, span: Span): Node {
  const type = value === null || value === undefined ? 'null' : (typeof value as 'string' | 'number' | 'boolean');
  const known = ['null', 'string', 'number', 'boolean'].includes(type);
  return known ? { type, ...span, value: value ?? null } : { type: 'string', ...span, value: String(value) };
}
