// What the server offers in one revision: the ground on which rules decide whether they apply. Lists that fail are empty here; the rules
// about lists report them.

import { isObject, type JsonObject } from '../../base/json-object.ts';
import type { Revision } from '../../mcp/revisions.ts';
import type { ServerCapabilities } from '../../mcp/types.ts';
import type { Conversation } from './conversation.ts';

/** Entries of a list as the server wrote them: a rule may not trust their types. */
export interface Facts {
  readonly revision: Revision;
  readonly capabilities: ServerCapabilities;
  readonly opening: JsonObject;
  readonly tools: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly templates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
}

/** Maximum pages read per list. */
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
