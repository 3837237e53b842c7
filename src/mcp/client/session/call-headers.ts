// 2026-07-28 over HTTP: calls repeat arguments in `Mcp-Param-…` headers, for tools that were listed before. "If the
// server rejects a request with a HeaderMismatch error, the client SHOULD call tools/list, then retry": a tool that was
// not listed is called without headers, and the tools are listed only if the call is refused.

import { encodeHeader } from '../../../base/header-text.ts';
import type { ClientFacts, Params, Result } from '../../service.ts';
import { listedTools, type ToolHeader, toolHeaders, valueAt } from '../../tool-headers.ts';
import type { Tool } from '../../types.ts';
import type { Warnings } from '../warnings.ts';

type Headers = Readonly<Record<string, string>>;
type Lister = Parameters<typeof listedTools>[0];

/** The maximum number of tools with headers. Beyond it, those listed first are forgotten. */
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

  /** Returns undefined if the tool has no headers. */
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

  /** Returns a result of `tools/list` without tools whose headers are invalid: "the client MUST exclude the invalid tool". */
  listed(result: Result): Result {
    const { tools } = result;
    if (!Array.isArray(tools)) return result;
    const valid = (tools as Tool[]).filter((tool) => this.#learn(tool));
    return valid.length === tools.length ? result : { ...result, tools: valid };
  }

  /** Lists the tools again. Resolves with whether the call would now have different headers. Never rejects. */
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
      // the call fails with its original error
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
