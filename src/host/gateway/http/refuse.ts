// Answers a request that is not served: a status and a JSON-RPC error with the reason.

import { RpcCode, RpcError } from '../../../base/errors.ts';
import type { RequestId } from '../../../wire/jsonrpc/message.ts';
import type { LimitRefusal } from '../limits.ts';
import type { HttpExchange } from './exchange.ts';
import { JSON_HEADERS } from './reply.ts';

export function refuseExchange(
  exchange: HttpExchange,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  const body = { jsonrpc: '2.0', error: { code: RpcCode.invalidRequest, message } };
  exchange.answer(status, { ...JSON_HEADERS, ...headers }, JSON.stringify(body));
}

export function refuseRequest(
  exchange: HttpExchange,
  status: number,
  id: RequestId | undefined,
  error: RpcError,
): void {
  const { rpcCode: code, message, data } = error;
  exchange.answer(status, JSON_HEADERS, JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } }));
}

export function refuseUsedId(exchange: HttpExchange, id: RequestId): void {
  const message = `The id ${JSON.stringify(id)} is in use by another request`;
  refuseRequest(exchange, 400, id, new RpcError(RpcCode.invalidRequest, message));
}

export function refuseUnknownEvent(exchange: HttpExchange, lastEventId: string): void {
  refuseExchange(exchange, 400, `The events after ${JSON.stringify(lastEventId)} are not kept any more`);
}

/** The request did not reach the service and can be sent again. */
export function refuseBeyond(exchange: HttpExchange, beyond: LimitRefusal, id?: RequestId): void {
  const { status, message, retryAfterS, ...data } = beyond;
  const body = { jsonrpc: '2.0', id, error: { code: RpcCode.serverBusy, message, data } };
  exchange.answer(status, { ...JSON_HEADERS, 'retry-after': String(retryAfterS) }, JSON.stringify(body));
}

export function refuseStopping(exchange: HttpExchange, retryAfterS: number, id?: RequestId): void {
  const message = `The server is stopping. Send the request again in ${retryAfterS} s.`;
  const headers = { ...JSON_HEADERS, 'retry-after': String(retryAfterS), connection: 'close' };
  exchange.answer(503, headers, JSON.stringify({ jsonrpc: '2.0', id, error: { code: RpcCode.serverBusy, message } }));
}
