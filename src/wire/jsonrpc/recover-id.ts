// Recovers the id and kind of a message that cannot be parsed: broken JSON, or the first bytes of an oversized frame.

import { topLevelTokens } from '../../base/top-level-json.ts';
import type { RequestId } from './message.ts';

export interface MessageTraces {
  /** True if the text begins as an object with a top-level member `jsonrpc`. */
  isJsonRpc: boolean;
  id?: RequestId;
  method?: string;
  /** True if the text has a top-level `result` or `error`, so it was an answer. */
  isResponse: boolean;
}

const wanted: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'result', 'error']);

export function traceMessage(text: string): MessageTraces {
  const nested = new Set<string>();
  const tokens = topLevelTokens(text, wanted, (key) => nested.add(key));
  const isResponse = ['result', 'error'].some((key) => tokens.has(key) || nested.has(key));
  const traces: MessageTraces = { isJsonRpc: tokens.has('jsonrpc'), isResponse };
  const id = readScalar(tokens.get('id'));
  // A number such as 1e400 is read as Infinity, which has no JSON form.
  if (typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id))) traces.id = id;
  const method = readScalar(tokens.get('method'));
  if (typeof method === 'string') traces.method = method;
  return traces;
}

function readScalar(token: string | undefined): unknown {
  if (token === undefined) return undefined;
  try {
    return JSON.parse(token);
  } catch {
    return undefined; // the text is not valid JSON, so it identifies nothing
  }
}
