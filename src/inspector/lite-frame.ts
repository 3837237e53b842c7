// Frames of LiteMCP, told by their shape: a version as a list of three numbers, an id and a type. Without this they would
// count as broken JSON-RPC.

import type { FrameDescription, MessageDescription } from '../flow/describe-frame.ts';
import type { FrameEvent } from '../flow/event.ts';
import { frameText } from '../flow/frame-text.ts';
import { isObject } from './is-object.ts';

/** Cheap to look at, and in every message of LiteMCP. */
const looksLite = /^\s*\{[^{}]*"version"\s*:\s*\[/;

export function describeLiteFrame(frame: FrameEvent): FrameDescription | undefined {
  if (frame.cut) return undefined;
  const text = frameText(frame);
  const value = looksLite.test(text.slice(0, 512)) ? parse(text) : undefined;
  if (!isObject(value) || !Array.isArray(value.version) || 'jsonrpc' in value) return undefined;
  const { id, type, data } = value;
  const message: MessageDescription = { kind: frame.direction === 'toServer' ? 'request' : 'response' };
  if (typeof id === 'number' || typeof id === 'string') message.id = id;
  if (typeof type === 'string') message.method = type;
  if (isObject(data) && typeof data.tool === 'string') message.tool = data.tool;
  return { kind: message.kind, messages: [message] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // then it is none
  }
}
