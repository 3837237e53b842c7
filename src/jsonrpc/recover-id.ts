// Finds what identifies a message that cannot be parsed: broken JSON, or only the first bytes of an oversized frame.
// A tokenizer, not a parser: it follows strings and depth and reads the keys of the outermost object.

import type { RequestId } from './message.ts';

export interface MessageTraces {
  /** The text begins as an object and names `jsonrpc` at its top. */
  isJsonRpc: boolean;
  id?: RequestId;
  method?: string;
  /** `result` or `error` was seen at the top: this was an answer. */
  isResponse: boolean;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gy;
const SPACE = /\s*/gy;

export function traceMessage(text: string): MessageTraces {
  const traces: MessageTraces = { isJsonRpc: false, isResponse: false };
  let depth = 0;
  let key: string | undefined;
  let valueComesNext = false;
  for (const token of tokens(text)) {
    if (token === '{' || token === '[') {
      if (depth === 1 && valueComesNext) noteKey(traces, key, undefined);
      depth++;
      valueComesNext = false;
    } else if (token === '}' || token === ']') {
      depth--;
      if (depth <= 0) break;
    } else if (depth === 0) {
      break; // not an object
    } else if (depth > 1) {
      // inside a value: nothing there names the message
    } else if (token === ':') {
      valueComesNext = true;
    } else if (token === ',') {
      valueComesNext = false;
      key = undefined;
    } else if (valueComesNext) {
      noteKey(traces, key, token);
      valueComesNext = false;
    } else {
      key = readScalar(token) as string;
    }
  }
  return traces;
}

function* tokens(text: string): Generator<string> {
  let at = 0;
  while (at < text.length) {
    SPACE.lastIndex = at;
    SPACE.exec(text);
    at = SPACE.lastIndex;
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) return; // a string that was cut off
    at = TOKEN.lastIndex;
    // A number at the very end may go on behind the cut: `"id":12` could have been 123.
    if (at === text.length && /^[-\d]/.test(match[0])) return;
    yield match[0];
  }
}

function noteKey(traces: MessageTraces, key: string | undefined, token: string | undefined): void {
  if (key === 'jsonrpc') traces.isJsonRpc = true;
  if (key === 'result' || key === 'error') traces.isResponse = true;
  if (token === undefined) return;
  const value = readScalar(token);
  if (key === 'id' && (typeof value === 'string' || typeof value === 'number')) traces.id = value;
  if (key === 'method' && typeof value === 'string') traces.method = value;
}

function readScalar(token: string): unknown {
  try {
    return JSON.parse(token);
  } catch {
    return undefined; // not JSON: neither a key nor an id
  }
}
