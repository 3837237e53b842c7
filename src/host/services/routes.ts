// Finds the server for a name or a URI that a client of the merged service uses. An address that names its server is routed without a
// request to any server. Everything else is looked up in the lists; an ambiguous name is refused.

import { RpcCode, RpcError, StandpipeError } from '../../base/errors.ts';
import { textOf } from '../../base/text-of.ts';
import { firstOf, hintOfNames, MOST_SUGGESTED } from '../../config/nearest.ts';
import { type ListName, listMethods } from '../../mcp/methods.ts';
import { invalidParams, resourceNotFound } from '../../mcp/protocol-errors.ts';
import type { Revision } from '../../mcp/revisions.ts';
import { type StepBudget, UriTemplate } from '../../mcp/uri-template.ts';
import { isAlwaysPrefixed, listedUri, partsOfUri, splitListedName } from './listed-names.ts';
import type { ListedServer, MergedLists } from './merged-lists.ts';

export interface ListedRoute {
  lists: ListedServer;
  /** The server's own name, URI or template. */
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
  ofUri(given: unknown, revision: Revision, steps = newBudget()): ListedRoute | Promise<ListedRoute> {
    if (typeof given !== 'string') throw invalidParams('The "uri" of a resource must be a string');
    const prefixed = isAlwaysPrefixed(given) ? this.#inServer(given) : undefined; // a URI of a server may look like an address that names a server
    const known = prefixed ?? this.#listedUri('resources', given) ?? this.#inServer(given);
    return known ?? this.#searchUri(given, revision, steps);
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
    // A name of a server may look like a listed name with a hash.
    const { part, name } = splitListedName(given)!;
    return { lists, own: lists.ownName(list, part, given) ?? name };
  }

  /** Looks up a name without a server in the lists by name: the work does not grow with the number of entries. */
  async #search(list: ListName, given: string): Promise<ListedRoute> {
    const { entries, failed } = await this.#lists.refresh(list, 'limited');
    const servers = [...entries.keys()];
    const owners = servers.filter((each) => this.#has(each, list, given));
    const { what } = listMethods[list];
    if (owners.length > 1) {
      const message = `Several servers have a ${what} named "${given}": ${owners.map(({ server }) => `${server}/${given}`).join(', ')}`;
      throw new RpcError(RpcCode.invalidParams, message, undefined, { hint: 'Use one of these names.' });
    }
    const lists = owners[0];
    if (!lists) {
      const hint = hintOfNames(given, this.#addresses(servers, list), undefined);
      throw new RpcError(RpcCode.invalidParams, `No server has a ${what} named "${given}"`, undefined, { hint });
    }
    const missing = failed.find(({ error }) => error instanceof StandpipeError && error.code === 'SERVER_NOT_READY');
    if (missing) throw uncertain(given, missing.server);
    return { lists, own: given };
  }

  #has(lists: ListedServer, list: ListName, name: string): boolean {
    return lists.last(list).has(name) && this.#lists.mayUse(lists, list, name);
  }

  /** Names that a hint may suggest, of the first entries of all servers. */
  #addresses(servers: readonly ListedServer[], list: ListName): string[] {
    const all = function* () {
      for (const lists of servers) for (const name of lists.last(list).keys()) yield { lists, name };
    };
    const usable = firstOf(all(), MOST_SUGGESTED).filter(({ lists, name }) => this.#lists.mayUse(lists, list, name));
    return usable.map(({ lists: { server }, name }) => {
      const others = servers.filter((each) => each.server !== server && this.#has(each, list, name));
      return others.length > 0 ? `${server}/${name}` : name;
    });
  }

  async #searchUri(uri: string, revision: Revision, steps: StepBudget): Promise<ListedRoute> {
    const before = this.#templates();
    const known = fitting(before, uri, steps);
    if (known) return known;
    await this.#lists.refresh('resources', 'limited');
    const listed = this.#listedUri('resources', uri);
    if (listed) return listed;
    await this.#lists.refresh('resourceTemplates', 'limited');
    const tried = new Set(before.map(({ templates }) => templates));
    const now = this.#templates();
    const isSame = now.length === before.length && now.every(({ templates }) => tried.has(templates));
    const found = isSame ? undefined : fitting(now, uri, steps);
    if (found) return found;
    throw resourceNotFound(uri, revision);
  }

  #templates(): ServerTemplates[] {
    return this.#lists.all.map((lists) => ({ lists, templates: templatesOf(lists.last('resourceTemplates')) }));
  }
}

interface ServerTemplates {
  lists: ListedServer;
  templates: readonly ListedTemplate[];
}

/** A template that is parsed only for a URI that begins like it. */
class ListedTemplate {
  readonly #text: string;
  readonly #literal: string;
  #parsed: UriTemplate | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#literal = text.split('{', 1)[0]!;
  }

  fits(uri: string, steps: StepBudget): boolean {
    steps.left--;
    if (!uri.startsWith(this.#literal)) return false;
    this.#parsed ??= new UriTemplate(this.#text);
    return this.#parsed.match(uri, steps) !== undefined;
  }
}

const templates = new WeakMap<ReadonlyMap<string, unknown>, readonly ListedTemplate[]>();

function templatesOf(list: ReadonlyMap<string, unknown>): readonly ListedTemplate[] {
  let known = templates.get(list);
  if (!known) {
    const short = [...list.keys()].filter(({ length }) => length <= LONGEST_TEMPLATE);
    known = short.map((text) => new ListedTemplate(text));
    templates.set(list, known);
  }
  return known;
}

/** The only server with a template that matches the URI. */
function fitting(all: readonly ServerTemplates[], uri: string, steps: StepBudget): ListedRoute | undefined {
  if (uri.length > LONGEST_URI) return undefined;
  const owners = all.filter((each) => each.templates.some((template) => template.fits(uri, steps) || steps.left < 0));
  if (steps.left < 0) throw tooManyTemplates(uri);
  return onlyOne(
    owners.map(({ lists }) => lists),
    uri,
    'resource',
  );
}

function tooManyTemplates(uri: string): RpcError {
  const message = `The resource ${uri} is not listed, and the servers have too many resource templates to compare it with`;
  return new RpcError(RpcCode.invalidParams, message, undefined, {
    hint: `Name its server: ${listedUri('<server>', uri).replace('%3Cserver%3E', '<server>')}`,
  });
}

function onlyOne(owners: readonly ListedServer[], uri: string, what: string): ListedRoute | undefined {
  if (owners.length > 1) {
    const choices = owners.map(({ server }) => listedUri(server, uri)).join(', ');
    throw invalidParams(`Several servers have the ${what} ${uri}: ${choices}`);
  }
  return owners[0] && { lists: owners[0], own: uri };
}

function uncertain(given: string, server: string): RpcError {
  const message = `"${given}" does not name its server, and server "${server}", which may have it too, is not ready`;
  return new RpcError(RpcCode.invalidParams, message, undefined, { hint: 'Use the name as it is listed.' });
}

/** Limit in characters: longer URIs and templates are not compared. */
const LONGEST_TEMPLATE = 1024;
const LONGEST_URI = 1024;

/** Limit of the positions in URIs at which one request compares parts of templates. */
const MOST_STEPS = 4 * 1024 * 1024;

/** The budget of one request. */
export function newBudget(): StepBudget {
  return { left: MOST_STEPS };
}
