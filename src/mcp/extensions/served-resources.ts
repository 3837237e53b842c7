// Resources that an extension adds to those of a declared server.

import { changedFacts, type FactsChange } from '../layers/layer.ts';
import { methodsOfMcp } from '../methods.ts';
import { invalidParams, resourceNotFound } from '../protocol-errors.ts';
import { toContents } from '../server/handler-results.ts';
import type { Caller, Params, Result, Service } from '../service.ts';
import type { Resource } from '../types.ts';

export interface ServedFile {
  readonly content: string | Uint8Array;
  readonly mimeType?: string | undefined;
  readonly _meta?: Record<string, unknown> | undefined;
}

export interface ServedResources {
  /** The files by URI. Not all of them need to be listed. */
  readonly files: ReadonlyMap<string, ServedFile>;
  /** Entries that follow the last page of the server's own list. */
  listed(): readonly Resource[] | Promise<readonly Resource[]>;
}

export function withResources(service: Service, served: ServedResources): Partial<Service> {
  return {
    describe: changedFacts(service, () => declareResources),
    request: (method, params, caller) => {
      const file = method === 'resources/read' ? served.files.get(params.uri as string) : undefined;
      if (file) return read(params.uri as string, file);
      return method.startsWith('resources/')
        ? other(service, served, method, params, caller)
        : service.request(method, params, caller);
    },
  };
}

function read(uri: string, { content, mimeType, _meta }: ServedFile): Result {
  const { contents } = toContents(content, uri, mimeType);
  return { contents: _meta ? contents.map((each) => ({ ...each, _meta })) : contents };
}

/** Passes other requests on. A server without resources of its own refuses their methods. */
async function other(
  service: Service,
  { listed }: ServedResources,
  method: string,
  params: Params,
  caller: Caller,
): Promise<Result> {
  const { capabilities } = await service.describe(caller.client);
  const own = capabilities.resources ? undefined : withoutOwn(method, params, caller);
  const page = own ?? (await service.request(method, params, caller));
  if (method !== 'resources/list' || page.nextCursor !== undefined) return page;
  return { ...page, resources: [...(page.resources as object[]), ...(await listed())] };
}

function withoutOwn(method: string, { cursor, uri }: Params, { client }: Caller): Result | undefined {
  if (method === 'resources/read') {
    if (typeof uri !== 'string') throw invalidParams('resources/read needs a "uri"');
    throw resourceNotFound(uri, client.revision);
  }
  const { list } = methodsOfMcp.get(method) ?? {};
  if (list && cursor !== undefined) throw invalidParams('Unknown cursor: this list has one page');
  return list && { [list.member]: [] };
}

const declareResources: FactsChange = ({ capabilities, ...facts }) => ({
  ...facts,
  capabilities: { ...capabilities, resources: capabilities.resources ?? {} },
});
