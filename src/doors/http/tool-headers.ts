// 2026-07-28: a tool can name arguments that clients repeat in `Mcp-Param-…` headers (`x-mcp-header` in its input schema).
// Which tools do is read from the service once, and again after its tools have changed. A service of several servers is asked for
// one tool only, since a list of all would wait for servers that the call does not need.

import { isObject } from '../../base/json-object.ts';
import type { JsonRpcRequest } from '../../jsonrpc/message.ts';
import { missingCapability } from '../../mcp/protocol-errors.ts';
import type { Caller, ClientFacts, Service } from '../../mcp/service.ts';
import type { JsonSchema, Tool } from '../../mcp/types.ts';

/** The header of an argument, and the path to it. */
export interface ToolHeader {
  name: string;
  path: readonly string[];
}

const MOST_PAGES = 1000;

type HeadersByTool = ReadonlyMap<string, readonly ToolHeader[]>;

export class ToolHeaders {
  readonly #service: Service;
  #known: HeadersByTool | undefined;
  #reading: Promise<HeadersByTool> | undefined;
  #stop: Promise<() => void> | undefined;
  readonly #byTool = new WeakMap<Tool, readonly ToolHeader[]>();

  constructor(service: Service) {
    this.#service = service;
  }

  /** Undefined where no tool is called, or it asks for none. A promise only until they are known. */
  of(
    { method, params }: Pick<JsonRpcRequest, 'method' | 'params'>,
    client: ClientFacts,
  ): readonly ToolHeader[] | undefined | Promise<readonly ToolHeader[] | undefined> {
    if (method !== 'tools/call' || typeof params?.name !== 'string') return undefined;
    if (this.#service.tool) return this.#ofOne(this.#service.tool(params.name));
    return this.#known ? this.#known.get(params.name) : this.#read(params.name, client);
  }

  #ofOne(tool: ReturnType<NonNullable<Service['tool']>>): ReturnType<ToolHeaders['of']> {
    if (tool instanceof Promise) return tool.then((found) => this.#ofOne(found));
    if (!tool?.inputSchema) return undefined;
    const known = this.#byTool.get(tool);
    if (known) return known;
    const headers = [...headersIn(tool.inputSchema, [])];
    this.#byTool.set(tool, headers);
    return headers;
  }

  async #read(tool: string, client: ClientFacts): Promise<readonly ToolHeader[] | undefined> {
    this.#stop ??= this.#service.watch({
      filter: { toolsListChanged: true },
      notified: () => {
        this.#known = undefined;
        this.#reading = undefined;
      },
    });
    // Before the first list: a change meanwhile must not be missed.
    await this.#stop.catch(() => undefined);
    this.#reading ??= readAll(this.#service, silent(client));
    const reading = this.#reading;
    try {
      const found = await reading;
      if (this.#reading === reading) this.#known = found;
      return found.get(tool);
    } catch {
      if (this.#reading === reading) this.#reading = undefined;
      return undefined; // the call itself fails for the same reason, and says so
    }
  }

  async close(): Promise<void> {
    await this.#stop?.then(
      (stop) => stop(),
      () => undefined,
    );
  }
}

async function readAll(service: Service, caller: Caller): Promise<Map<string, readonly ToolHeader[]>> {
  const found = new Map<string, readonly ToolHeader[]>();
  let cursor: unknown;
  for (let page = 0; page < MOST_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await service.request('tools/list', params, caller);
    for (const { name, inputSchema } of (tools ?? []) as Tool[]) {
      const headers = inputSchema ? [...headersIn(inputSchema, [])] : [];
      if (headers.length > 0) found.set(name, headers);
    }
    if (nextCursor === undefined || nextCursor === cursor) break;
    cursor = nextCursor;
  }
  return found;
}

/** The client sees nothing of this request. */
function silent(client: ClientFacts): Caller {
  return {
    client,
    signal: undefined,
    wantsProgress: false,
    progress: () => undefined,
    log: () => undefined,
    ask: () => Promise.reject(missingCapability({})),
  };
}

/** Only chains of `properties` lead to an argument whose place is known without looking at its value. */
function* headersIn({ properties }: JsonSchema, path: readonly string[]): Generator<ToolHeader> {
  if (!isObject(properties)) return;
  for (const [key, schema] of Object.entries(properties)) {
    if (!isObject(schema)) continue;
    const name = schema['x-mcp-header'];
    if (typeof name === 'string' && name !== '') yield { name, path: [...path, key] };
    yield* headersIn(schema as JsonSchema, [...path, key]);
  }
}

/** The value of the argument that a header repeats; undefined where there is none. */
export function valueAt(args: unknown, path: readonly string[]): string | undefined {
  let value = args;
  for (const key of path) value = isObject(value) ? value[key] : undefined;
  return value === undefined || value === null ? undefined : String(value);
}
