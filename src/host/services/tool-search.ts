// All servers as one, for clients whose model shall not read hundreds of definitions: the list has three tools, which find, describe and
// call the others. Everything else is that of the merged service, and so are names, rights and outcomes.

import { metaOf } from '../../base/json-object.ts';
import { textOf } from '../../base/text-of.ts';
import { overlay } from '../../mcp/layers/layer.ts';
import { invalidParams } from '../../mcp/protocol-errors.ts';
import type { Caller, ClientFacts, Params, Result, Service, ServiceFacts } from '../../mcp/service.ts';
import { ToolIndex } from '../../mcp/tool-index.ts';
import type { Tool } from '../../mcp/types.ts';
import { isAway } from '../supervision/server-state.ts';
import { listedName } from './listed-names.ts';
import type { MergedLists } from './merged-lists.ts';
import type { MergedService } from './merged-service.ts';

const DEFAULT_FOUND = 5;
const MOST_FOUND = 20;
const MOST_DESCRIBED = 10;
const MOST_SUMMARY_CHARS = 300;
const MOST_PARAMETERS = 20;
/** Tools that are added to the index before other work gets a turn. */
const TOOLS_A_TURN = 50;

const text = (description: string) => ({ type: 'string', description });
const reading = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

const searchTools: readonly Tool[] = [
  {
    name: 'find_tools',
    description:
      'Finds tools by what they do. Returns names, parameters and summaries. Use it before you say that a tool is missing.',
    inputSchema: {
      type: 'object',
      properties: {
        query: text('What the tool shall do, in a few words: "create an issue"'),
        server: text('Only tools of this server'),
        limit: { type: 'integer', minimum: 1, maximum: MOST_FOUND, description: `Default: ${DEFAULT_FOUND}` },
      },
      required: ['query'],
    },
    annotations: reading,
  },
  {
    name: 'describe_tool',
    description: 'Returns the definitions of tools with their input schemas. Use it before the first call of a tool.',
    inputSchema: {
      type: 'object',
      properties: {
        names: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MOST_DESCRIBED },
      },
      required: ['names'],
    },
    annotations: reading,
  },
  {
    name: 'call_tool',
    description: 'Calls a tool that find_tools has found. Returns its result.',
    inputSchema: {
      type: 'object',
      properties: {
        name: text('The name of the tool, as find_tools returns it'),
        arguments: { type: 'object', description: 'Its arguments, by its input schema' },
      },
      required: ['name'],
    },
  },
];

interface Entry {
  readonly server: string;
  readonly tool: Tool;
}

type Answer = (given: Params, params: Params, caller: Caller) => Result | Promise<Result>;

export function searchedService(view: MergedService, shared = new SharedIndex(view.lists)): Service {
  const own: ReadonlyMap<string, Answer> = new Map<string, Answer>([
    ['find_tools', (given) => find(view, shared, given)],
    ['describe_tool', (given) => describe(view, shared, given)],
    [
      'call_tool',
      ({ name, arguments: args = {} }, params, caller) => {
        if (typeof name !== 'string' || own.has(name))
          throw invalidParams('call_tool needs the name of a tool that find_tools returns');
        return view.request('tools/call', { ...params, name, arguments: args }, caller);
      },
    ],
  ]);
  return overlay(view, {
    describe: (client) => factsOf(view, client),
    request: (method, params, caller) => {
      if (method === 'tools/list') {
        if (params.cursor !== undefined) return view.request(method, params, caller); // refuses it
        return { tools: searchTools };
      }
      const answer = method === 'tools/call' ? own.get(textOf(params.name)) : undefined;
      if (!answer) return view.request(method, params, caller);
      try {
        return answer(argumentsOf(params), params, caller);
      } catch (error) {
        return Promise.reject(error);
      }
    },
    tool: (name, client) => searchTools.find((tool) => tool.name === name) ?? view.tool(name, client),
    restrictedTo: (rights) => searchedService(view.restrictedTo(rights), shared),
  });
}

function argumentsOf({ arguments: given }: Params): Params {
  return typeof given === 'object' && given !== null ? (given as Params) : {};
}

function factsOf(view: MergedService, client: ClientFacts | undefined): ServiceFacts {
  const members = view.lists.all.map(({ member }) => member);
  const names = members.filter(({ config }) => config.enabled).map(({ config }) => config.name);
  const missing = members.filter(({ supervised }) => isAway(supervised.state));
  const instructions = [
    `Tools of these servers: ${names.join(', ') || 'none'}. They are not in the list of tools: find them with find_tools, read their schemas with describe_tool, and call them with call_tool.`,
    ...missing.map(({ config, supervised }) => `Server "${config.name}" is not available: ${supervised.status.reason}`),
  ];
  return { ...view.describe(client), instructions: instructions.join('\n\n') };
}

async function find(view: MergedService, shared: SharedIndex, { query, server, limit }: Params): Promise<Result> {
  if (typeof query !== 'string' || query.trim() === '') throw invalidParams('find_tools needs a query: a text');
  const most = Number.isSafeInteger(limit) ? Math.min(Math.max(limit as number, 1), MOST_FOUND) : DEFAULT_FOUND;
  const { index, failed } = await shared.read();
  const mayFind = (entry: Entry) => (server === undefined || entry.server === server) && mayUse(view, entry);
  const found = index.search(query, most, mayFind).map(({ entry }) => summaryOf(nameOf(view, entry), entry.tool));
  const seen = failed.filter((name) => view.lists.servers.includes(name));
  const notes = seen.length > 0 ? [`Servers that are not available now: ${seen.join(', ')}`] : [];
  const none = 'No tool matches. Use other words, or fewer.';
  return { content: [{ type: 'text', text: [...(found.length > 0 ? found : [none]), ...notes].join('\n') }] };
}

async function describe(view: MergedService, shared: SharedIndex, { names }: Params): Promise<Result> {
  if (!Array.isArray(names) || names.length === 0) throw invalidParams('describe_tool needs names: a list of texts');
  const { entries } = await shared.read();
  const wanted = new Set(names.slice(0, MOST_DESCRIBED).map(String));
  const found = entries.filter((entry) => mayUse(view, entry) && wanted.delete(nameOf(view, entry)));
  const texts = found.map((entry) => JSON.stringify(definitionOf(nameOf(view, entry), entry.tool)));
  const unknown = [...wanted].map((name) => `There is no tool ${JSON.stringify(name)}. Find its name with find_tools.`);
  return {
    content: [...texts, ...unknown].map((each) => ({ type: 'text', text: each })),
    ...(texts.length === 0 && { isError: true }),
  };
}

function mayUse({ lists }: MergedService, { server, tool }: Entry): boolean {
  return lists.servers.includes(server) && lists.mayUseTool(server, tool.name);
}

function nameOf({ lists }: MergedService, { server, tool }: Entry): string {
  return listedName(lists.partOf(server), tool.name);
}

/** `weather__forecast(city, days?): Returns the weather of the next days.` */
function summaryOf(name: string, { description, title, inputSchema }: Tool): string {
  const { properties = {}, required = [] } = (inputSchema ?? {}) as { properties?: object; required?: unknown };
  const names = Object.keys(properties ?? {});
  const isRequired = (parameter: string) => Array.isArray(required) && required.includes(parameter);
  const shown = names.slice(0, MOST_PARAMETERS).map((each) => (isRequired(each) ? each : `${each}?`));
  if (names.length > MOST_PARAMETERS) shown.push('…');
  const about = (description ?? title ?? '').trim().split('\n')[0]!.slice(0, MOST_SUMMARY_CHARS);
  return `${name}(${shown.join(', ')})${about === '' ? '' : `: ${about}`}`;
}

function definitionOf(name: string, { title, description, inputSchema, outputSchema, annotations }: Tool): object {
  return { name, title, description, inputSchema, outputSchema, annotations };
}

interface Indexed {
  readonly entries: readonly Entry[];
  readonly index: ToolIndex<Entry>;
  /** Servers whose tools are unknown. */
  readonly failed: readonly string[];
}

/** The tools of all servers, for every set of rights. It is built again when a list has changed. */
class SharedIndex {
  readonly #lists: MergedLists;
  #lastLists: ReadonlyMap<string, readonly unknown[]> = new Map();
  #last: Promise<Omit<Indexed, 'failed'>> | undefined;

  constructor(lists: MergedLists) {
    this.#lists = lists;
  }

  async read(): Promise<Indexed> {
    const { entries, failed } = await this.#lists.refresh('tools', 'limited');
    const now = new Map([...entries].map(([{ server }, list]) => [server, list]));
    if (!this.#last || !isSame(now, this.#lastLists)) {
      this.#lastLists = now;
      const offered = [...entries].flatMap(([lists, list]) =>
        (list as readonly Tool[])
          .filter((tool) => lists.member.mayUse(tool.name) && isForModels(tool))
          .map((tool) => ({ server: lists.server, tool })),
      );
      this.#last = indexOf(offered);
    }
    return { ...(await this.#last), failed: failed.map(({ server }) => server) };
  }
}

function isSame(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  return one.size === other.size && [...one].every(([server, list]) => other.get(server) === list);
}

/** MCP Apps: some tools are for views only. */
function isForModels(tool: Tool): boolean {
  const { visibility } = (metaOf(tool)?.ui ?? {}) as { visibility?: unknown };
  return !Array.isArray(visibility) || visibility.includes('model');
}

async function indexOf(entries: readonly Entry[]): Promise<Omit<Indexed, 'failed'>> {
  const index = new ToolIndex<Entry>();
  for (const [number, entry] of entries.entries()) {
    index.add(entry);
    if (number % TOOLS_A_TURN === TOOLS_A_TURN - 1) await new Promise((resolve) => setImmediate(resolve));
  }
  return { entries, index };
}
