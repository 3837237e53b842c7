// Some clients and servers speak a dialect that tutorials have spread: methods with a prefix (`mcp/tools/list`), members in
// snake case (`client_info`, `is_error`), `parameters` for the input schema, and content that is one string. This file
// stands between such a client and a server, and translates; nothing behind it knows. A client is known by its first
// message of that kind; for all others this costs one comparison a message.

import { requireJson } from '../../base/to-json.ts';
import type { Channel } from '../../jsonrpc/channel.ts';
import type { JsonRpcMessage, JsonRpcRequest, RequestId } from '../../jsonrpc/message.ts';
import type { CallToolResult, Tool } from '../types.ts';

const PREFIX = 'mcp/';

type Result = Record<string, unknown>;
type Translate = (result: never) => Result;

const translations: Record<string, Translate> = {
  initialize: ({ serverInfo, capabilities }: { serverInfo: object; capabilities: object }) => ({
    server_info: serverInfo,
    capabilities,
  }),
  'tools/list': ({ tools, nextCursor }: { tools: Tool[]; nextCursor?: string }) => ({
    tools: tools.map(({ name, description, inputSchema }) => ({ name, description, parameters: inputSchema })),
    ...(nextCursor !== undefined && { next_cursor: nextCursor }),
  }),
  'tools/call': ({ content, isError }: CallToolResult) => ({
    content: content.map((block) => (block.type === 'text' ? block.text : requireJson(block))).join('\n'),
    is_error: isError ?? false,
  }),
};

export class TranscriptDialect implements Channel {
  onmessage?: ((message: never, extra?: never, frameBytes?: number) => void) | undefined;
  readonly #channel: Channel;
  /** Requests whose answers are to be translated; only a client of this dialect ever fills it. */
  readonly #waiting = new Map<RequestId, Translate>();

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  start(): Promise<void> {
    this.#channel.onmessage = (message: JsonRpcMessage, extra?: never, frameBytes?: number) =>
      this.onmessage?.(this.#fromClient(message) as never, extra, frameBytes);
    return this.#channel.start();
  }

  send(message: JsonRpcMessage, options?: object): Promise<void> {
    return this.#channel.send(this.#waiting.size === 0 ? message : this.#toClient(message), options);
  }

  #fromClient(message: JsonRpcMessage): JsonRpcMessage {
    if (!('method' in message)) return message;
    if (!('id' in message)) {
      // A cancelled request is never answered.
      if (message.method === 'notifications/cancelled') this.#waiting.delete(message.params?.requestId as RequestId);
      return message;
    }
    const { method, params } = message;
    if (method.startsWith(PREFIX)) return this.#translated(message, method.slice(PREFIX.length), params);
    if (method !== 'initialize' || params?.client_info === undefined) return message;
    const { client_info: clientInfo, protocol_version: protocolVersion, ...rest } = params;
    return this.#translated(message, method, { ...rest, clientInfo, protocolVersion });
  }

  #translated(message: JsonRpcRequest, method: string, params: JsonRpcRequest['params']): JsonRpcRequest {
    const translate = Object.hasOwn(translations, method) ? translations[method] : undefined;
    if (translate) this.#waiting.set(message.id, translate);
    return { ...message, method, params };
  }

  #toClient(message: JsonRpcMessage): JsonRpcMessage {
    if ('method' in message || message.id === undefined) return message;
    const translate = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    // A result of another kind, such as `input_required`, is not the dialect's.
    const isOwn = 'result' in message && (message.result.resultType ?? 'complete') === 'complete';
    return translate && isOwn ? { ...message, result: translate(message.result as never) } : message;
  }

  // All else is the channel's own.

  close(): Promise<void> {
    return this.#channel.close();
  }
  evidence() {
    return this.#channel.evidence?.() ?? { phase: 'running' as const };
  }
  mask(text: string): string {
    return this.#channel.mask?.(text) ?? text;
  }
  sendBatch(messages: JsonRpcMessage[]): Promise<void> {
    if (this.#channel.sendBatch) return this.#channel.sendBatch(messages);
    return Promise.all(messages.map((message) => this.#channel.send(message))).then(() => undefined);
  }
  setProtocolVersion(version: string): void {
    this.#channel.setProtocolVersion?.(version);
  }
  get closeError(): Error | undefined {
    return this.#channel.closeError;
  }
  set onbatch(handler: Channel['onbatch']) {
    this.#channel.onbatch = handler;
  }
  set onfault(handler: Channel['onfault']) {
    this.#channel.onfault = handler;
  }
  set onerror(handler: Channel['onerror']) {
    this.#channel.onerror = handler;
  }
  set unanswered(count: Channel['unanswered']) {
    this.#channel.unanswered = count;
  }
  set onfull(handler: Channel['onfull']) {
    this.#channel.onfull = handler;
  }
  set onending(handler: Channel['onending']) {
    this.#channel.onending = handler;
  }
  set onclose(handler: Channel['onclose']) {
    this.#channel.onclose = handler;
  }
}
