// The cost of tools: a host sends the name, description and input schema of each tool to the model with each request.

import { estimateTokens } from '../base/token-estimate.ts';
import type { Tool } from './types.ts';

export interface Cost {
  /** An estimate. */
  readonly tokens: number;
  readonly bytes: number;
}

export const noCost: Cost = { tokens: 0, bytes: 0 };

/** `tokens` counts the part that a model reads, `bytes` the whole definition. */
export function costOfTool(tool: Tool): Cost {
  const { name, description, inputSchema } = tool;
  return {
    tokens: estimateTokens(JSON.stringify({ name, description, inputSchema })),
    bytes: bytesOf(JSON.stringify(tool)),
  };
}

/** A host gives the text of the content to the model, or the structured content if there is no text. */
export function costOfResult(result: Record<string, unknown>): Cost {
  const { content, structuredContent } = result;
  const texts = (Array.isArray(content) ? content : []).flatMap((part: unknown) =>
    typeof part === 'object' && part !== null && typeof (part as { text?: unknown }).text === 'string'
      ? [(part as { text: string }).text]
      : [],
  );
  const read =
    texts.length > 0 || structuredContent === undefined ? texts.join('\n') : JSON.stringify(structuredContent);
  return { tokens: estimateTokens(read), bytes: bytesOf(JSON.stringify(result)) };
}

export function sumOfCosts(costs: readonly Cost[]): Cost {
  return costs.reduce((sum, { tokens, bytes }) => ({ tokens: sum.tokens + tokens, bytes: sum.bytes + bytes }), noCost);
}

const encoder = new TextEncoder();

function bytesOf(text: string): number {
  return encoder.encode(text).length;
}
