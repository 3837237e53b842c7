// What kind of message a client has sent.

import type { JsonRpcMessage, JsonRpcRequest, RequestId } from '../../jsonrpc/message.ts';
import { bytesOfUris } from '../../mcp/front/modern-subscriptions.ts';

export function isRequest(message: JsonRpcMessage): message is JsonRpcRequest {
  return 'method' in message && 'id' in message;
}

/** One that does not continue a call after a question. */
export function isNewRequest(message: JsonRpcMessage): message is JsonRpcRequest {
  return isRequest(message) && message.params?.requestState === undefined;
}

export function isInitialize(message: JsonRpcMessage): message is JsonRpcRequest {
  return isRequest(message) && message.method === 'initialize';
}

export function idOf(message: JsonRpcMessage): RequestId | undefined {
  return isRequest(message) ? message.id : undefined;
}

/** A request that stays open as a stream of events. */
export function isListen(message: JsonRpcMessage): message is JsonRpcRequest {
  return isRequest(message) && message.method === 'subscriptions/listen';
}

/** What a request to listen keeps in memory beside its body. */
export function keptBytes({ params = {} }: JsonRpcRequest): number {
  return bytesOfUris(params);
}
