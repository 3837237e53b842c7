// Classifies messages of clients.

import { bytesOfUris } from '../../../mcp/adapter/modern-subscriptions.ts';
import type { JsonRpcMessage, JsonRpcRequest, RequestId } from '../../../wire/jsonrpc/message.ts';

export function isRequest(message: JsonRpcMessage): message is JsonRpcRequest {
  return 'method' in message && 'id' in message;
}

/** False for a request that continues a call after a question. */
export function isNewRequest(message: JsonRpcMessage): message is JsonRpcRequest {
  return isRequest(message) && message.params?.requestState === undefined;
}

export function isInitialize(message: JsonRpcMessage): message is JsonRpcRequest {
  return isRequest(message) && message.method === 'initialize';
}

export function idOf(message: JsonRpcMessage): RequestId | undefined {
  return isRequest(message) ? message.id : undefined;
}

/** True for a request that stays open as an event stream. */
export function isListen(message: JsonRpcMessage): message is JsonRpcRequest {
  return isRequest(message) && message.method === 'subscriptions/listen';
}

/** Memory that a listen request holds besides its body. */
export function keptBytes({ params = {} }: JsonRpcRequest): number {
  return bytesOfUris(params);
}
