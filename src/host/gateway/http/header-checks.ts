// 2026-07-28: headers repeat parts of the body for proxies that do not read it. A request whose headers and body differ is refused, because
// a proxy and this server would see different requests.

import { RpcError } from '../../../base/errors.ts';
import { decodeHeader, isEncodedHeader } from '../../../base/header-text.ts';
import { readEnvelope } from '../../../mcp/adapter/envelope.ts';
import { Catalogue } from '../../../mcp/catalogue.ts';
import { PROTOCOL_VERSION_KEY } from '../../../mcp/meta.ts';
import { isIn, nameInHeader } from '../../../mcp/methods.ts';
import { McpCode } from '../../../mcp/protocol-errors.ts';
import { type ClientFacts, type ClientIdentity, type Service, silentCaller } from '../../../mcp/service.ts';
import { argumentAt, headersOf, type ToolHeader } from '../../../mcp/tool-headers.ts';
import type { Tool } from '../../../mcp/types.ts';
import { ENCODED, isEncoded } from '../../../wire/http/json-body.ts';
import type { JsonRpcRequest } from '../../../wire/jsonrpc/message.ts';
import type { HttpExchange } from './exchange.ts';
import { refuseExchange } from './refuse.ts';

const JSON_TYPE = 'application/json';

/** Answers a request whose body is not plain JSON, and returns true. Parameters such as a charset may follow the type. */
export function refusesBody(exchange: HttpExchange): boolean {
  const type = exchange.header('content-type');
  const isJson = type === JSON_TYPE || type?.split(';', 1)[0]?.trim().toLowerCase() === JSON_TYPE;
  if (isJson && !isEncoded(exchange.header('content-encoding'))) return false;
  refuseExchange(exchange, 415, isJson ? ENCODED : 'The content-type must be application/json');
  return true;
}

/** The sender of a request, or the error of a refusal. The version is compared first, because it determines the other headers. */
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
  const member = isIn(method, client.revision) ? nameInHeader(method) : undefined;
  const otherName = member === undefined ? undefined : differs(exchange, 'Mcp-Name', params?.[member]);
  return differs(exchange, 'Mcp-Method', method) ?? otherName ?? client;
}

export function toolHeaderMismatch(
  exchange: HttpExchange,
  headers: readonly ToolHeader[],
  args: unknown,
): RpcError | undefined {
  for (const { name, path } of headers) {
    const inBody = argumentAt(args, path);
    const raw = exchange.header(`mcp-param-${name.toLowerCase()}`);
    if (inBody === undefined && raw === undefined) continue;
    const wrong = differs(exchange, `Mcp-Param-${name}`, inBody, isArgument);
    if (wrong) return wrong;
  }
  return undefined;
}

/** `isText`: whether a text stands for a value that is not a string. */
function differs(
  exchange: HttpExchange,
  name: string,
  inBody: unknown,
  isText?: (value: string, inBody: unknown) => boolean,
): RpcError | undefined {
  const raw = exchange.header(name.toLowerCase());
  if (raw === inBody && raw !== undefined && !isEncodedHeader(raw)) return undefined;
  if (raw === undefined) return mismatch(`the header ${name} is missing`);
  const value = decodeHeader(raw.trim());
  if (value === undefined) return mismatch(`the encoding of the header ${name} is invalid`);
  if (value === inBody || isText?.(value, inBody)) return undefined;
  return mismatch(
    `the header ${name} is ${JSON.stringify(value)}, and the body has ${JSON.stringify(inBody) ?? 'none'}`,
  );
}

/** Whether the text stands for a number or boolean. `42.0` and `42` are the same integer. */
function isArgument(value: string, inBody: unknown): boolean {
  if (typeof inBody === 'boolean') return value === String(inBody);
  if (typeof inBody !== 'number') return false;
  if (value === String(inBody)) return true;
  const integer = /^(-?(?:0|[1-9]\d*))(?:\.0+)?$/.exec(value)?.[1];
  return integer !== undefined && Number.isInteger(inBody) && BigInt(integer) === BigInt(inBody);
}

function mismatch(what: string): RpcError {
  return new RpcError(McpCode.headerMismatch, `Header mismatch: ${what}`);
}

type Headers = readonly ToolHeader[] | undefined;

/** Finds the `Mcp-Param-…` headers that the tool of a call declares. */
export class ToolHeaders {
  readonly #service: Service;
  /** The tools of a service that does not implement `tool`. */
  #catalogue: Catalogue | undefined;

  constructor(service: Service) {
    this.#service = service;
  }

  /**
   * Returns undefined if the request is not a tool call or its tool is unknown. A promise only until the tool is known.
   */
  of({ method, params }: Pick<JsonRpcRequest, 'method' | 'params'>, client: ClientFacts): Headers | Promise<Headers> {
    if (method !== 'tools/call' || typeof params?.name !== 'string') return undefined;
    const tool = this.#service.tool ? this.#service.tool(params.name, client) : this.#find(params.name, client);
    return tool instanceof Promise ? tool.then(expected) : expected(tool);
  }

  async close(): Promise<void> {
    await this.#catalogue?.close();
  }

  #find(name: string, client: ClientFacts): ReturnType<NonNullable<Service['tool']>> {
    const service = this.#service;
    if (!this.#catalogue) {
      const server = { era: 'modern', capabilities: { tools: { listChanged: true } } } as const;
      const request = (method: string, params: object) => service.request(method, { ...params }, silentCaller(client));
      this.#catalogue = new Catalogue({ server, service, request }, () => undefined, {});
      this.#catalogue.keep();
    }
    const found = this.#catalogue.find('tools', name);
    // The call itself fails for the same reason and reports it.
    return found instanceof Promise ? found.catch(() => undefined) : found;
  }
}

/** A tool with invalid header declarations requires no headers: only clients of earlier revisions call it, and they ignore headers. */
function expected(tool: Tool | undefined): Headers {
  const headers = tool?.inputSchema && headersOf(tool);
  return typeof headers === 'string' ? undefined : headers;
}
