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
  /** Whether the server answered every page of its tools. */
  readonly hasAllTools: boolean;
  readonly resources: readonly JsonObject[];
  readonly templates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
}

/** Limit of the pages read per list. */
const MOST_PAGES = 20;

export async function readFacts(conversation: Conversation): Promise<Facts> {
  const { capabilities, opening, revision } = conversation;
  const list = (capability: object | undefined, method: string, member: string) =>
    capability ? readList(conversation, method, member) : noEntries;
  const tools = await list(capabilities.tools, 'tools/list', 'tools');
  const entriesOf = async (method: string, member: string, capability = capabilities.resources) =>
    (await list(capability, method, member)).entries;
  return {
    revision,
    capabilities,
    opening,
    tools: tools.entries,
    hasAllTools: tools.isComplete,
    resources: await entriesOf('resources/list', 'resources'),
    templates: await entriesOf('resources/templates/list', 'resourceTemplates'),
    prompts: await entriesOf('prompts/list', 'prompts', capabilities.prompts),
  };
}

interface ReadList {
  readonly entries: readonly JsonObject[];
  /** Whether the server answered all pages. */
  readonly isComplete: boolean;
}

const noEntries: ReadList = { entries: [], isComplete: true };

async function readList(conversation: Conversation, method: string, member: string): Promise<ReadList> {
  const entries: JsonObject[] = [];
  let cursor: unknown;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { result } = await conversation.request(method, cursor === undefined ? undefined : { cursor });
    const listed = result?.[member];
    if (!Array.isArray(listed)) return { entries, isComplete: false };
    // A spread of many entries overflows the stack.
    for (const entry of listed) if (isObject(entry)) entries.push(entry);
    cursor = result?.nextCursor;
    if (typeof cursor !== 'string') return { entries, isComplete: true };
  }
  return { entries, isComplete: false };
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
