// 2026-07-28: headers repeat parts of the body, so that proxies need not read it. If they differ, a proxy and this server would see
// different requests, so such a request is refused.

import { RpcError } from '../../../base/errors.ts';
import { decodeHeader, isEncodedHeader } from '../../../base/header-text.ts';
import { readEnvelope } from '../../../mcp/adapter/envelope.ts';
import { PROTOCOL_VERSION_KEY } from '../../../mcp/meta.ts';
import { methodsOfMcp } from '../../../mcp/methods.ts';
import { McpCode } from '../../../mcp/protocol-errors.ts';
import type { ClientFacts, ClientIdentity } from '../../../mcp/service.ts';
import { type ToolHeader, valueAt } from '../../../mcp/tool-headers.ts';
import { ENCODED, isEncoded } from '../../../wire/http/json-body.ts';
import type { JsonRpcRequest } from '../../../wire/jsonrpc/message.ts';
import type { HttpExchange } from './exchange.ts';
import { refuseExchange } from './refuse.ts';

const JSON_TYPE = 'application/json';

/** Answers a request whose body is not plain JSON. Parameters such as a charset may follow the type. */
export function refusesBody(exchange: HttpExchange): boolean {
  const type = exchange.header('content-type');
  const isJson = type === JSON_TYPE || type?.split(';', 1)[0]?.trim().toLowerCase() === JSON_TYPE;
  if (isJson && !isEncoded(exchange.header('content-encoding'))) return false;
  refuseExchange(exchange, 415, isJson ? ENCODED : 'The content-type must be application/json');
  return true;
}

/**
 * The sender of a request, or the error with which it is refused. The version is compared first, because it determines the other headers.
 */
export function checkedClient(
  exchange: HttpExchange,
  { method, params }: JsonRpcRequest,
  meta: Record<string, unknown>,
  identity: ClientIdentity,
): ClientFacts | RpcError {
  const otherVersion = differs(exchange, 'MCP-Protocol-Version', meta[PROTOCOL_VERSION_KEY]);
  if (otherVersion) return otherVersion;
  const client = readEnvelope(meta, identity);
  if (client instanceof RpcError) return client;
  const member = methodsOfMcp.get(method)?.target?.parameter;
  const otherName = member === undefined ? undefined : differs(exchange, 'Mcp-Name', params?.[member]);
  return differs(exchange, 'Mcp-Method', method) ?? otherName ?? client;
}

/** Checks the headers that a tool declares. */
export function toolHeaderMismatch(
  exchange: HttpExchange,
  headers: readonly ToolHeader[],
  args: unknown,
): RpcError | undefined {
  for (const { name, path } of headers) {
    const inBody = valueAt(args, path);
    const raw = exchange.header(`mcp-param-${name.toLowerCase()}`);
    if (inBody === undefined && raw === undefined) continue;
    const wrong = differs(exchange, `Mcp-Param-${name}`, inBody);
    if (wrong) return wrong;
  }
  return undefined;
}

function differs(exchange: HttpExchange, name: string, inBody: unknown): RpcError | undefined {
  const raw = exchange.header(name.toLowerCase());
  if (raw === inBody && raw !== undefined && !isEncodedHeader(raw)) return undefined;
  if (raw === undefined) return mismatch(`the header ${name} is missing`);
  const value = decodeHeader(raw.trim());
  if (value === undefined) return mismatch(`the header ${name} is not encoded as it should be`);
  if (value === inBody || isSameInteger(value, inBody)) return undefined;
  return mismatch(
    `the header ${name} is ${JSON.stringify(value)}, and the body has ${JSON.stringify(inBody) ?? 'none'}`,
  );
}

/** `42.0` and `42` are the same integer. */
function isSameInteger(value: string, inBody: unknown): boolean {
  return typeof inBody === 'string' && /^-?\d+$/.test(inBody) && value !== '' && Number(value) === Number(inBody);
}

function mismatch(what: string): RpcError {
  return new RpcError(McpCode.headerMismatch, `Header mismatch: ${what}`);
}
