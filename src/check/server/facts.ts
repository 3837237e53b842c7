// Capabilities and lists of the server in one revision. Rules decide by them whether they apply. A list that fails is empty here; the rules about lists
// report it.

import { isObject, type JsonObject } from '../../base/json-object.ts';
import type { Revision } from '../../mcp/revisions.ts';
import type { ServerCapabilities } from '../../mcp/types.ts';
import type { Conversation } from './conversation.ts';

/** Entries of lists are as the server wrote them: their types are unchecked. */
export interface Facts {
  readonly revision: Revision;
  readonly capabilities: ServerCapabilities;
  readonly opening: JsonObject;
  readonly tools: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly templates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
}

/** Limit of the pages read per list. */
const MOST_PAGES = 20;

export async function readFacts(conversation: Conversation): Promise<Facts> {
  const { capabilities, opening, revision } = conversation;
  const list = (capability: object | undefined, method: string, member: string) =>
    capability ? readList(conversation, method, member) : [];
  return {
    revision,
    capabilities,
    opening,
    tools: await list(capabilities.tools, 'tools/list', 'tools'),
    resources: await list(capabilities.resources, 'resources/list', 'resources'),
    templates: await list(capabilities.resources, 'resources/templates/list', 'resourceTemplates'),
    prompts: await list(capabilities.prompts, 'prompts/list', 'prompts'),
  };
}

async function readList(conversation: Conversation, method: string, member: string): Promise<JsonObject[]> {
  const entries: JsonObject[] = [];
  let cursor: unknown;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { result } = await conversation.request(method, cursor === undefined ? undefined : { cursor });
    // A spread of many entries overflows the stack.
    if (Array.isArray(result?.[member])) for (const entry of result[member]) if (isObject(entry)) entries.push(entry);
    cursor = result?.nextCursor;
    if (typeof cursor !== 'string') break;
  }
  return entries;
}

/** Capabilities that the schemas define as objects. Servers may declare others, of any type. */
const defined = [
  ...['completions', 'experimental', 'extensions', 'logging'],
  ...['prompts', 'resources', 'tasks', 'tools'],
];

/** The first defined capability whose value is not an object. */
export function wrongCapability(capabilities: JsonObject): string | undefined {
  return defined.find((name) => capabilities[name] !== undefined && !isObject(capabilities[name]));
}
