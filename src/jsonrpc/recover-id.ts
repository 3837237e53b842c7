// Finds what identifies a message that cannot be parsed: broken JSON, or only the first bytes of an oversized frame.

import { topLevelTokens } from '../base/top-level-json.ts';
import type { RequestId } from './message.ts';

export interface MessageTraces {
  /** The text begins as an object and names `jsonrpc` at its top. */
  isJsonRpc: boolean;
  id?: RequestId;
  method?: string;
  /** `result` or `error` was seen at the top: this was an answer. */
  isResponse: boolean;
}

const wanted: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'result', 'error']);

export function traceMessage(text: string): MessageTraces {
  const nested = new Set<string>();
  const tokens = topLevelTokens(text, wanted, (key) => nested.add(key));
  const isResponse = ['result', 'error'].some((key) => tokens.has(key) || nested.has(key));
  const traces: MessageTraces = { isJsonRpc: tokens.has('jsonrpc'), isResponse };
  const id = readScalar(tokens.get('id'));
  if (typeof id === 'string' || typeof id === 'number') traces.id = id;
  const method = readScalar(tokens.get('method'));
  if (typeof method === 'string') traces.method = method;
  return traces;
}

function readScalar(token: string | undefined): unknown {
  if (token === undefined) return undefined;
  try {
    return JSON.parse(token);
  } catch {
    return undefined; // not JSON: names nothing
  }
}
