// Everything that a lock holds of a server, as the server lists it now. Nothing is taken from a cache.

import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { definitionHash } from '../../../config/lock/definition-hash.ts';
import { type LockedList, listNames, lockedLists } from '../../../config/lock/server-lock.ts';
import { hostClient } from '../../../host/services/typed-client.ts';
import { mayHave } from '../../../mcp/catalogue.ts';
import type { Client } from '../../../mcp/client/client.ts';
import { readAllPages } from '../../../mcp/client/pages.ts';
import { declaredExtensions, listingCapabilities } from '../../../mcp/extensions/extension.ts';
import { linksOf } from '../../../mcp/extensions/linked-uris.ts';
import { SKILLS } from '../../../mcp/extensions/skills/skill.ts';
import { isContent } from '../../../mcp/layers/locked-definitions.ts';
import { listMethods } from '../../../mcp/methods.ts';
import { ownInfo } from '../../../mcp/own-info.ts';
import { type Caller, type Params, silentCaller } from '../../../mcp/service.ts';

export interface Listing {
  server: { name: string; version: string };
  instructions: string | undefined;
  lists: Record<LockedList, JsonObject[]>;
  /** Hashes of views of MCP Apps, and of SKILL.md files, by URI. */
  contents: Record<string, string>;
}

const LIMITS = { maxPages: 1_000, maxItems: 100_000, maxListBytes: 256 * 1024 * 1024 };
/** Views and skills of one server. */
const MOST_CONTENTS = 1_000;

export async function readListing(client: Client, signal: AbortSignal): Promise<Listing> {
  const { server, service } = client;
  const facts = {
    identity: hostClient,
    revision: server.revision,
    capabilities: listingCapabilities(),
    info: ownInfo,
    logLevel: undefined,
  };
  const caller: Caller = { ...silentCaller(facts, signal), options: { fresh: true } };
  const source = { server, request: (method: string, params: Params) => service.request(method, params, caller) };
  const all = async (list: LockedList | 'resources') => {
    const { method, member, nameKey } = list === 'skills' ? ofSkills : listMethods[list];
    return (await readAllPages<JsonObject>(source, { method, member, nameKey }, LIMITS, () => undefined)).items;
  };
  const lists = {} as Listing['lists'];
  for (const list of listNames) lists[list] = has(client, list) ? await all(list) : [];
  const resources = mayHave(server, 'resources') && server.capabilities.resources ? await all('resources') : [];
  const uris = [...linksOf(lists.tools), ...resources.map(({ uri }) => uri), ...lists.skills.map(({ uri }) => uri)];
  const contents: Listing['contents'] = {};
  for (const uri of [...new Set(uris)].filter(isContent).slice(0, MOST_CONTENTS)) {
    const result = await source.request('resources/read', { uri });
    contents[uri] = definitionHash(isObject(result) ? result.contents : undefined);
  }
  const { name, version } = server.info;
  return { server: { name, version }, instructions: server.instructions, lists, contents };
}

const ofSkills = { method: 'skills/list', member: 'skills', nameKey: lockedLists.skills };

function has({ server }: Client, list: LockedList): boolean {
  if (list === 'skills') return SKILLS in declaredExtensions(server.capabilities);
  const { kind } = listMethods[list];
  return server.capabilities[kind] !== undefined;
}
