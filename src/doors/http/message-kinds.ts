// What kind of message a client has sent.

import type { JsonRpcMessage, JsonRpcRequest, RequestId } from '../../jsonrpc/message.ts';

export function isRequest(message: JsonRpcMessage): message is JsonRpcRequest {
  return 'method' in message && 'id' in message;
}

export function isInitialize(message: JsonRpcMessage): message is JsonRpcRequest {
  return isRequest(message) && message.method === 'initialize';
}

export function idOf(message: JsonRpcMessage): RequestId | undefined {
  return isRequest(message) ? message.id : undefined;
}
