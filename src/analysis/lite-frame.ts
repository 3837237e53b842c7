// Frames of LiteMCP, recognised by their shape: a version as a list of three numbers, an id and a type. Without this they
// would count as broken JSON-RPC.

import { decodeText } from '../base/decode-text.ts';
import { isObject } from '../base/json-object.ts';
import type { FrameFact } from '../flow/event.ts';
import type { FrameDescription, MessageDescription } from './describe-frame.ts';

const START_BYTES = 200;
/** Cheap to look at, and in every message of LiteMCP. */
const looksLite = /^\s*\{[^{}]*"version"\s*:\s*\[/;

export function describeLiteFrame(frame: FrameFact): FrameDescription | undefined {
  // Nearly every frame is of MCP: its start is enough to tell.
  if (!looksLite.test(decodeText(frame.payload.subarray(0, START_BYTES)))) return undefined;
  const value = parse(decodeText(frame.payload));
  if (!isObject(value) || !Array.isArray(value.version) || 'jsonrpc' in value) return undefined;
  const { id, type, data } = value;
  const message: MessageDescription = { kind: frame.direction === 'toServer' ? 'request' : 'response' };
  if (typeof id === 'number' || typeof id === 'string') message.id = id;
  if (typeof type === 'string') message.method = type;
  if (isObject(data) && typeof data.tool === 'string') message.tool = data.tool;
  if (isObject(data) && isObject(data.response) && data.response.error === true) message.toolError = true;
  return { kind: message.kind, messages: [message], lite: true };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // then it is none
  }
}
