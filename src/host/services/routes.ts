// Finds the server for a name or a URI that a client of the merged service uses. An address that names its server is routed without a
// request to any server. Everything else is looked up in the lists; an ambiguous name is refused.

import { RpcCode, RpcError, StandpipeError, type UsageError } from '../../base/errors.ts';
import { textOf } from '../../base/text-of.ts';
import { type ListName, listMethods } from '../../mcp/methods.ts';
import { invalidParams, resourceNotFound } from '../../mcp/protocol-errors.ts';
import type { Revision } from '../../mcp/revisions.ts';
import { UriTemplate } from '../../mcp/uri-template.ts';
import { type Offer, resolve } from './catalog.ts';
import { listedUri, partsOfUri, splitListedName } from './listed-names.ts';
import type { ListedEntry, ListedServer } from './listed-server.ts';
import type { MergedLists } from './merged-lists.ts';

export interface ListedRoute {
  lists: ListedServer;
  /** The name, URI or template as the server knows it. */
  own: string;
}

export class Routes {
  readonly #lists: MergedLists;

  constructor(lists: MergedLists) {
    this.#lists = lists;
  }

  /** Routes a tool or a prompt: `<server>__<name>`, `server/name`, or a name that only one server has. */
  named(list: 'tools' | 'prompts', given: unknown): ListedRoute | Promise<ListedRoute> {
    const { what } = listMethods[list];
    if (typeof given !== 'string') throw invalidParams(`The "name" of a ${what} must be a string`);
    const parts = splitListedName(given);
    const lists = parts && this.#lists.byPart(parts.part);
    if (lists) {
      const own = lists.ownName(list, parts.part, given) ?? (parts.isOwn ? parts.name : undefined);
      return own === undefined ? this.#listedBy(lists, list, given) : { lists, own };
    }
    return this.#inServer(given) ?? this.#search(list, given);
  }

  /** Routes a resource. An unlisted resource goes to the only server with a template that matches it. */
  ofUri(given: unknown, revision: Revision): ListedRoute | Promise<ListedRoute> {
    if (typeof given !== 'string') throw invalidParams('The "uri" of a resource must be a string');
    return this.#listedUri('resources', given) ?? this.#inServer(given) ?? this.#searchUri(given, revision);
  }

  ofTemplate(given: unknown): ListedRoute | Promise<ListedRoute> {
    const uri = textOf(given);
    const known = this.#listedUri('resourceTemplates', uri) ?? this.#inServer(uri);
    return known ?? this.#search('resourceTemplates', uri);
  }

  /** Parses `server/name` and `standpipe://server/uri`. */
  #inServer(given: string): ListedRoute | undefined {
    const parts = partsOfUri(given);
    for (const lists of this.#lists.all) {
      if (parts?.server === lists.server) return { lists, own: parts.uri };
      if (given.startsWith(`${lists.server}/`)) return { lists, own: given.slice(lists.server.length + 1) };
    }
    return undefined;
  }

  #listedUri(list: ListName, uri: string): ListedRoute | undefined {
    const owners = this.#lists.all.filter((lists) => lists.last(list).has(uri));
    return onlyOne(owners, uri, listMethods[list].what);
  }

  /** A name with a hash can be resolved only with the list of its server. */
  async #listedBy(lists: ListedServer, list: ListName, given: string): Promise<ListedRoute> {
    await lists.read(list);
    // A server's own name may look like one with a hash.
    const { part, name } = splitListedName(given)!;
    return { lists, own: lists.ownName(list, part, given) ?? name };
  }

  async #search(list: ListName, given: string): Promise<ListedRoute> {
    const { offers, failed } = await this.#lists.read(list, 'limited');
    const { server, name } = resolved(offers, given, listMethods[list].what, this.#lists.servers);
    const missing = failed.find(({ error }) => error instanceof StandpipeError && error.code === 'SERVER_NOT_READY');
    if (missing) throw uncertain(given, missing.server);
    const lists = this.#lists.all.find((each) => each.server === server);
    if (!lists) throw this.#lists.noServer(server); // removed while the servers were asked
    return { lists, own: name };
  }

  async #searchUri(uri: string, revision: Revision): Promise<ListedRoute> {
    const known = this.#fitting(uri);
    if (known) return known;
    await this.#lists.read('resources', 'limited');
    const listed = this.#listedUri('resources', uri);
    if (listed) return listed;
    await this.#lists.read('resourceTemplates', 'limited');
    const fitting = this.#fitting(uri);
    if (fitting) return fitting;
    throw resourceNotFound(uri, revision);
  }

  #fitting(uri: string): ListedRoute | undefined {
    const has = (lists: ListedServer) =>
      [...lists.last('resourceTemplates').keys()].some((template) => fits(uri, template));
    return onlyOne(this.#lists.all.filter(has), uri, 'resource');
  }
}

function onlyOne(owners: readonly ListedServer[], uri: string, what: string): ListedRoute | undefined {
  if (owners.length > 1) {
    const choices = owners.map(({ server }) => listedUri(server, uri)).join(', ');
    throw invalidParams(`Several servers have the ${what} ${uri}: ${choices}`);
  }
  return owners[0] && { lists: owners[0], own: uri };
}

/** An unknown or ambiguous name is refused with the error that a server would use. */
function resolved(
  offers: readonly Offer<ListedEntry>[],
  given: string,
  what: string,
  servers: readonly string[],
): Offer<ListedEntry> {
  try {
    return resolve(offers, given, what, servers);
  } catch (error) {
    const { message, hint } = error as UsageError;
    throw new RpcError(RpcCode.invalidParams, message, undefined, { hint, cause: error });
  }
}

function uncertain(given: string, server: string): RpcError {
  const message = `"${given}" names no server, and server "${server}", which may have it too, is not ready`;
  return new RpcError(RpcCode.invalidParams, message, undefined, { hint: 'Use the name as it is listed.' });
}

/** All templates of a server are tried, so their lengths are limited. */
const LONGEST_TEMPLATE = 1024;
const LONGEST_URI = 1024;

function fits(uri: string, template: string): boolean {
  if (uri.length > LONGEST_URI || template.length > LONGEST_TEMPLATE) return false;
  return new UriTemplate(template).match(uri) !== undefined;
}
