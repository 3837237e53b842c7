// One POST of 2026-07-28 as the reply to its request. Closing the connection cancels the request.

import type { UsageError } from '../../../base/errors.ts';
import type { SingleReply } from '../../../mcp/adapter/single-request.ts';
import { McpCode } from '../../../mcp/protocol-errors.ts';
import type { ClientIdentity } from '../../../mcp/service.ts';
import type { JsonRpcNotification, JsonRpcResponse } from '../../../wire/jsonrpc/message.ts';
import { messageText } from '../../../wire/jsonrpc/message-text.ts';
import type { InFlight } from '../../../wire/requests/in-flight.ts';
import type { HttpExchange } from './exchange.ts';
import { Reply } from './reply.ts';

export class ModernPost implements SingleReply {
  onfull: ((isFull: boolean) => void) | undefined;
  onclose: (() => void) | undefined;
  readonly client: ClientIdentity;
  readonly #reply: Reply;
  readonly #open: InFlight<number, ModernPost>;
  readonly #number: number;

  /** `open`: the pending POSTs of the gateway by number. It contains this POST until it is closed. */
  constructor(exchange: HttpExchange, client: ClientIdentity, open: InFlight<number, ModernPost>, number: number) {
    this.client = client;
    this.#open = open;
    this.#reply = new Reply(exchange);
    this.#reply.onfull = (isFull) => this.onfull?.(isFull);
    this.#number = number;
    open.add(number, this);
    exchange.onclose = () => this.#closed();
  }

  notify(message: JsonRpcNotification): boolean {
    const json = messageText(message);
    return typeof json !== 'string' || this.#reply.offer(json);
  }

  answer(message: JsonRpcResponse): UsageError | undefined {
    const json = messageText(message);
    if (typeof json !== 'string') return json;
    this.#reply.finish(json, 'error' in message ? statusOf(message.error.code) : 200);
    return undefined;
  }

  keepAlive(): void {
    this.#reply.openStream();
    this.#reply.keepAlive();
  }

  end(): void {
    this.#reply.withdraw();
    this.#closed();
  }

  #closed(): void {
    if (this.#open.take(this.#number)) this.onclose?.();
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
