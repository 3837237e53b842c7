// URIs of extensions in the `_meta` of a tool, such as the view that MCP Apps shows beside its result. Where several servers are served as
// one, they are rewritten; to a client that may not use the tool, the resource does not exist.

import { readAllPages } from '../client/pages.ts';
import type { ServiceRequest } from '../layers/layer.ts';
import { listMethods } from '../methods.ts';
import { type Caller, type Params, silentCaller } from '../service.ts';
import type { Tool } from '../types.ts';
import { listingCapabilities, schemeOfExtension } from './extension.ts';

/** `_meta` is small; deeper values are not links. */
const DEEPEST = 8;
const LIMITS = { maxPages: 1_000, maxItems: 100_000, maxListBytes: 32 * 1024 * 1024 };

/** Replaces every URI of an extension in the value. Returns the same value if there is none. */
export function withLinkedUris<T>(value: T, rewrite: (uri: string) => string, depth = 0): T {
  if (typeof value === 'string') return schemeOfExtension(value) ? (rewrite(value) as T) : value;
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value;
  const changed = Object.entries(value).flatMap(([key, member]) => {
    const next = withLinkedUris(member, rewrite, depth + 1);
    return next === member ? [] : [[key, next]];
  });
  if (changed.length === 0) return value;
  return Object.assign(Array.isArray(value) ? [...value] : { ...value }, Object.fromEntries(changed));
}

/** The URIs that the tools link to. */
export function linksOf(tools: readonly Pick<Partial<Tool>, '_meta'>[]): ReadonlySet<string> {
  const links = new Set<string>();
  const collect = (uri: string) => {
    links.add(uri);
    return uri;
  };
  for (const { _meta } of tools) withLinkedUris(_meta, collect);
  return links;
}

/** All tools of a service without a catalogue. */
export async function listedTools(
  request: ServiceRequest,
  { client, signal }: Pick<Caller, 'client' | 'signal'>,
): Promise<readonly Tool[]> {
  const declaring = { ...client, capabilities: listingCapabilities(client.capabilities) };
  const ask = (method: string, params: Params) => request(method, params, silentCaller(declaring, signal));
  const source = { server: { era: 'modern', capabilities: {} }, request: ask } as const;
  return (await readAllPages<Tool>(source, listMethods.tools, LIMITS, () => undefined)).items;
}
