// The lists of MCP: by which method each is requested, and what its entries are.

import type { ListKind } from './watchers.ts';

export const mcpLists = {
  tools: { method: 'tools/list', member: 'tools', nameKey: 'name', kind: 'tools', what: 'tool' },
  resources: { method: 'resources/list', member: 'resources', nameKey: 'uri', kind: 'resources', what: 'resource' },
  resourceTemplates: {
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    nameKey: 'uriTemplate',
    kind: 'resources',
    what: 'resource template',
  },
  prompts: { method: 'prompts/list', member: 'prompts', nameKey: 'name', kind: 'prompts', what: 'prompt' },
} as const satisfies Record<string, ListDescription>;

export interface ListDescription {
  method: string;
  /** The member of the result that holds the entries. */
  member: string;
  /** The member of an entry that holds its name. */
  nameKey: string;
  /** The capability that it belongs to. */
  kind: ListKind;
  /** An entry, for messages. */
  what: string;
}

export type ListName = keyof typeof mcpLists;

export const listByMethod: ReadonlyMap<string, ListDescription & { member: ListName }> = new Map(
  Object.values(mcpLists).map((list) => [list.method, list]),
);
