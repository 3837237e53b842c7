// 2026-07-28 over HTTP: calls repeat arguments in `Mcp-Param-…` headers, for tools that were listed before. "If the server
// rejects a request with a HeaderMismatch error, the client SHOULD call tools/list, then retry": what was not listed is called
// without headers, and listed only where that is refused.

import { encodeHeader } from '../../../base/header-text.ts';
import type { ClientFacts, Params, Result } from '../../service.ts';
import { listedTools, type ToolHeader, toolHeaders, valueAt } from '../../tool-headers.ts';
import type { Tool } from '../../types.ts';
import type { Warnings } from '../warnings.ts';

type Headers = Readonly<Record<string, string>>;
type Lister = Parameters<typeof listedTools>[0];

/** Tools with headers. Beyond this, those that were listed first are forgotten. */
const MOST_TOOLS = 10_000;

export class CallHeaders {
  readonly #session: Lister;
  readonly #warn: Warnings['report'];
  readonly #byTool = new Map<string, readonly ToolHeader[]>();
  #refreshing: Promise<void> | undefined;

  constructor(session: Lister, warn: Warnings['report']) {
    this.#session = session;
    this.#warn = warn;
  }

  /** Undefined if the tool has none. */
  of({ name, arguments: args }: Params): Headers | undefined {
    const known = this.#byTool.get(name as string);
    if (!known) return undefined;
    const headers: Record<string, string> = {};
    for (const { name: header, path } of known) {
      const value = valueAt(args, path);
      if (value !== undefined) headers[`mcp-param-${header.toLowerCase()}`] = encodeHeader(value);
    }
    return headers;
  }

  /** A result of `tools/list`, without tools whose headers are wrong: "the client MUST exclude the invalid tool". */
  listed(result: Result): Result {
    const { tools } = result;
    if (!Array.isArray(tools)) return result;
    const valid = (tools as Tool[]).filter((tool) => this.#learn(tool));
    return valid.length === tools.length ? result : { ...result, tools: valid };
  }

  /** Whether a call would have other headers after the tools were listed again. Never rejects. */
  async changesFor(call: Params, client: ClientFacts): Promise<boolean> {
    const before = JSON.stringify(this.of(call));
    this.#refreshing ??= this.#refresh(client).finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
    return JSON.stringify(this.of(call)) !== before;
  }

  async #refresh(client: ClientFacts): Promise<void> {
    try {
      for await (const _ of listedTools(this.#session, client)); // each page passes `listed`
    } catch {
      // the call fails with the error that it has
    }
  }

  #learn(tool: Tool): boolean {
    if (typeof tool?.name !== 'string') return true;
    const headers = toolHeaders(tool.inputSchema);
    this.#byTool.delete(tool.name);
    if (typeof headers === 'string') {
      this.#warn('tool-left-out', `The tool ${tool.name} is left out: ${headers}`, tool.name);
      return false;
    }
    if (headers.length > 0) this.#byTool.set(tool.name, headers);
    if (this.#byTool.size > MOST_TOOLS) this.#byTool.delete(this.#byTool.keys().next().value!);
    return true;
  }
}
