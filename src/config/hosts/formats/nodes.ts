// Builds nodes of a config from other nodes. A new node has the offset of its origin, so that its problems are reported at the right
// line of the file.

import type { Node } from 'jsonc-parser';

export interface Member {
  key: Node;
  value: Node;
}

/** The members of an object, including duplicate keys. */
export function membersOf(node: Node | undefined): Member[] {
  if (node?.type !== 'object') return [];
  return (node.children ?? []).map(({ children }) => ({ key: children![0]!, value: children![1]! }));
}

/** The last of duplicate keys is used, as in every JSON parser. */
export function valueIn(node: Node | undefined, name: string): Node | undefined {
  return membersOf(node).findLast(({ key }) => key.value === name)?.value;
}

export function objectOf(members: readonly Member[], { offset, length }: Node): Node {
  const children = members.map(
    ({ key, value }): Node => ({ type: 'property', offset: key.offset, length: key.length, children: [key, value] }),
  );
  return { type: 'object', offset, length, children };
}

export function arrayOf(children: Node[], { offset, length }: Node): Node {
  return { type: 'array', offset, length, children };
}

export function scalarOf(value: unknown, { offset, length }: Node): Node {
  return { type: value === null ? 'null' : (typeof value as 'string'), offset, length, value };
}

export function lists(list: Node | undefined, text: string): boolean {
  return list?.type === 'array' && (list.children ?? []).some(({ value }) => value === text);
}

export function disabled(entry: Node): Node {
  return objectOf([...membersOf(entry), { key: scalarOf('disabled', entry), value: scalarOf(true, entry) }], entry);
}

export function renamed(key: Node, name: string): Node {
  return { ...key, value: name };
}

/** Changes all strings at any depth, but not keys. */
export function mapTexts(node: Node, change: (text: string) => string): Node {
  if (node.type === 'string') return { ...node, value: change(node.value) };
  if (node.type === 'array')
    return { ...node, children: (node.children ?? []).map((child) => mapTexts(child, change)) };
  if (node.type !== 'object') return node;
  return objectOf(
    membersOf(node).map(({ key, value }) => ({ key, value: mapTexts(value, change) })),
    node,
  );
}

export function mapTextsOf(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTextsOf(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTextsOf(item, change)]));
}
