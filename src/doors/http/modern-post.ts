// One POST of 2026-07-28, as a channel of its own: the request, and a reply that ends it. Closing the connection cancels the
// request.

import { toJson } from '../../base/to-json.ts';
import type { Channel } from '../../jsonrpc/channel.ts';
import type { JsonRpcMessage, JsonRpcRequest } from '../../jsonrpc/message.ts';
import { McpCode } from '../../mcp/protocol-errors.ts';
import type { ClientIdentity } from '../../mcp/service.ts';
import { SENT } from '../../requests/pending-requests.ts';
import type { HttpExchange } from './exchange.ts';
import { Reply } from './reply.ts';

export class ModernPost implements Channel {
  onmessage?: ((message: never, extra?: never, frameBytes?: number) => void) | undefined;
  onclose?: (() => void) | undefined;
  onfull?: ((isFull: boolean) => void) | undefined;
  readonly client: ClientIdentity;
  readonly #reply: Reply;
  readonly #request: JsonRpcRequest;
  readonly #bytes: number;

  constructor(request: JsonRpcRequest, exchange: HttpExchange, client: ClientIdentity, bytes: number) {
    this.client = client;
    this.#request = request;
    this.#bytes = bytes;
    this.#reply = new Reply(exchange, {});
    this.#reply.onfull = (isFull) => this.onfull?.(isFull);
    exchange.onclose = () => this.onclose?.();
  }

  start(): Promise<void> {
    this.onmessage?.(this.#request as never, undefined, this.#bytes);
    return SENT;
  }

  send(message: JsonRpcMessage): Promise<void> {
    const json = toJson(message);
    if (typeof json !== 'string') return Promise.reject(json);
    if ('method' in message) this.#reply.event(json);
    else this.#reply.finish(json, 'error' in message ? statusOf(message.error.code) : 200);
    return SENT;
  }

  keepAlive(): void {
    this.#reply.openStream();
    this.#reply.keepAlive();
  }

  close(): Promise<void> {
    this.#reply.end();
    this.onclose?.();
    return SENT;
  }
}

function statusOf(code: number): number {
  switch (code) {
    case -32601:
      return 404;
    case McpCode.headerMismatch:
    case McpCode.missingClientCapability:
    case McpCode.unsupportedProtocolVersion:
      return 400;
    default:
      return 200;
  }
}
