// Classifies messages of clients.

import type { JsonRpcMessage, JsonRpcRequest, RequestId } from '../../jsonrpc/message.ts';
import { bytesOfUris } from '../../mcp/front/modern-subscriptions.ts';

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
