// The message types of JSON-RPC 2.0. They match those of the official MCP SDK, so messages are interchangeable.

export type RequestId = string | number;

export interface JsonRpcRequest {
  jsonrpc: '2.0';
  id: RequestId;
  method: string;
  params?: Record<string, unknown> | undefined;
}

export interface JsonRpcNotification {
  jsonrpc: '2.0';
  method: string;
  params?: Record<string, unknown> | undefined;
}

export interface JsonRpcResult {
  jsonrpc: '2.0';
  id: RequestId;
  result: Record<string, unknown>;
}

export interface JsonRpcErrorResponse {
  jsonrpc: '2.0';
  /** The id; absent if that of the failed request could not be read. JSON-RPC itself uses `null` there. */
  id?: RequestId | undefined;
  error: { code: number; message: string; data?: unknown };
}

export type JsonRpcResponse = JsonRpcResult | JsonRpcErrorResponse;
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse;

/**
 * Returns the number if the id is its decimal text, otherwise undefined. Some programs send ids back as text: "1" for
 * 1. If all ids of one side are numbers, the text identifies one request. Ids are compared unchanged first.
 */
export function numberInText(id: unknown): number | undefined {
  if (typeof id !== 'string') return undefined;
  const number = Number(id);
  return Number.isSafeInteger(number) && String(number) === id ? number : undefined;
}
