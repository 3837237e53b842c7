// Answers a request that is not served: a status and a JSON-RPC error with the reason. The service did not receive the request.

import { RpcCode, type RpcError } from '../../../base/errors.ts';
import type { RequestId } from '../../../wire/jsonrpc/message.ts';
import type { LimitRefusal } from '../limits.ts';
import type { HttpExchange } from './exchange.ts';
import { JSON_HEADERS } from './reply.ts';

export function refuseRequest(
  exchange: HttpExchange,
  status: number,
  id: RequestId | undefined,
  { rpcCode: code, message, data }: Pick<RpcError, 'rpcCode' | 'message'> & { data?: unknown },
  headers?: Record<string, string>,
): void {
  const body = { jsonrpc: '2.0', id, error: { code, message, data } };
  exchange.answer(status, headers ? { ...JSON_HEADERS, ...headers } : JSON_HEADERS, JSON.stringify(body));
}

export function refuseExchange(
  exchange: HttpExchange,
  status: number,
  message: string,
  headers?: Record<string, string>,
): void {
  refuseRequest(exchange, status, undefined, { rpcCode: RpcCode.invalidRequest, message }, headers);
}

export function refuseUsedId(exchange: HttpExchange, id: RequestId): void {
  const message = `The id ${JSON.stringify(id)} is in use by another request`;
  refuseRequest(exchange, 400, id, { rpcCode: RpcCode.invalidRequest, message });
}

export function refuseBeyond(exchange: HttpExchange, beyond: LimitRefusal, id?: RequestId): void {
  const { status, message, retryAfterS, ...data } = beyond;
  const headers = { 'retry-after': String(retryAfterS) };
  refuseRequest(exchange, status, id, { rpcCode: RpcCode.serverBusy, message, data }, headers);
}

export function refuseStopping(exchange: HttpExchange, retryAfterS: number, id?: RequestId): void {
  const message = `The server is stopping. Send the request again in ${retryAfterS} s.`;
  const headers = { 'retry-after': String(retryAfterS), connection: 'close' };
  refuseRequest(exchange, 503, id, { rpcCode: RpcCode.serverBusy, message }, headers);
}
