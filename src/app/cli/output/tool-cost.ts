// `standpipe tools --cost`: what the definitions of tools cost a model, and their results in a recording.

import { isObject } from '../../../base/json-object.ts';
import type { Offer } from '../../../host/services/catalog.ts';
import { type Cost, costOfResult, costOfTool, sumOfCosts } from '../../../mcp/tool-cost.ts';
import type { Tool } from '../../../mcp/types.ts';
import type { RecordedSession } from '../../../observe/replay/recorded-session.ts';
import type { Output } from './output.ts';
import { printRows } from './table.ts';

export interface ResultCost {
  readonly calls: number;
  readonly meanTokens: number;
  readonly mostTokens: number;
}

export interface ToolCost extends Cost {
  readonly server: string;
  readonly name: string;
  readonly results?: ResultCost | undefined;
}

export interface CostReport {
  readonly tokenizer: string;
  readonly total: Cost & { readonly tools: number };
  readonly servers: readonly (Cost & { readonly server: string; readonly tools: number })[];
  /** The tools, largest cost first. */
  readonly tools: readonly ToolCost[];
}

const TOKENIZER = 'estimate, compared with o200k_base';

export function costReport(
  offers: readonly Pick<Offer<Tool>, 'server' | 'name' | 'definition'>[],
  results: ReadonlyMap<string, ResultCost> = new Map(),
): CostReport {
  const tools = offers
    .map(({ server, name, definition }): ToolCost => {
      return { server, name, ...costOfTool(definition), results: results.get(name) };
    })
    .sort((one, other) => other.tokens - one.tokens);
  const names = [...new Set(tools.map(({ server }) => server))];
  const servers = names
    .map((server) => {
      const own = tools.filter((tool) => tool.server === server);
      return { server, tools: own.length, ...sumOfCosts(own) };
    })
    .sort((one, other) => other.tokens - one.tokens);
  return { tokenizer: TOKENIZER, total: { tools: tools.length, ...sumOfCosts(servers) }, servers, tools };
}

export function showCost({ total, servers, tools }: CostReport, out: Output): void {
  const hasResults = tools.some(({ results }) => results);
  printRows(
    out,
    ['SERVER', 'TOOL', 'TOKENS', 'BYTES', 'CALLS', 'MEAN RESULT', 'LARGEST'],
    tools.map(({ server, name, tokens, bytes, results }) => [
      server,
      { text: name, colour: 'cyan' as const },
      String(tokens),
      String(bytes),
      results ? String(results.calls) : '',
      results ? String(results.meanTokens) : '',
      results ? String(results.mostTokens) : '',
    ]),
  );
  if (servers.length > 1) {
    for (const { server, tools: count, tokens, bytes } of servers) {
      out.say(`${server}: ${count} tools, ${tokens} tokens, ${bytes} bytes`);
    }
  }
  const unit = hasResults ? ' The columns of results are in tokens, too.' : '';
  out.say(`${total.tools} tools, ${total.tokens} tokens, ${total.bytes} bytes. Tokens are estimated.${unit}`);
}

/** Reads the definitions of the tools in a recording and the cost of their results. */
export async function recordedCost(session: RecordedSession, server: string): Promise<CostReport> {
  const { definitionsOf } = await import('../../../observe/replay/diff-sessions.ts');
  const definitions = ((await definitionsOf(session)).tools ?? []) as Tool[];
  const { exchanges } = await session.read();
  const sums = new Map<string, { calls: number; tokens: number; mostTokens: number }>();
  for (const { method, target, outcome, answer } of exchanges) {
    if (method !== 'tools/call' || target === undefined || outcome !== 'answered' || !answer) continue;
    const result = (await session.file.message(answer))?.result;
    if (!isObject(result)) continue;
    const { tokens } = costOfResult(result);
    const sum = sums.get(target) ?? { calls: 0, tokens: 0, mostTokens: 0 };
    sums.set(target, {
      calls: sum.calls + 1,
      tokens: sum.tokens + tokens,
      mostTokens: Math.max(sum.mostTokens, tokens),
    });
  }
  const results = new Map(
    [...sums].map(([name, { calls, tokens, mostTokens }]) => {
      return [name, { calls, meanTokens: Math.round(tokens / calls), mostTokens }];
    }),
  );
  return costReport(
    definitions.map((definition) => ({ server, name: definition.name, definition })),
    results,
  );
}
