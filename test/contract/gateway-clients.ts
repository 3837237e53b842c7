// Clients of gateways that send and receive raw messages, one for each way of transport: lines of a stream, sessions of HTTP, single
// requests of HTTP, and HTTP+SSE.

import type { Duplex, Readable, Writable } from 'node:stream';

export interface Message {
  jsonrpc?: string;
  id?: string | number | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

export type Era = 'legacy' | 'modern';

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'door-contract', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/logLevel': 'info',
};
const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'door-contract', version: '1' },
};

export abstract class GatewayClient {
  /** All messages, in the order of their arrival. */
  readonly received: Message[] = [];
  readonly era: Era;
  /** Resolves when the gateway has ended the connection, or all connections. */
  readonly ended: Promise<void>;
  protected markEnded!: () => void;
  #looks = new Set<() => void>();

  constructor(era: Era) {
    this.era = era;
    this.ended = new Promise((resolve) => {
      this.markEnded = resolve;
    });
  }

  /** Sends the text of a message. Resolves to the code of the error that answers it. */
  abstract sendMalformed(text: string): Promise<number>;
  abstract cancel(id: string | number): void;
  /** Disconnects without notice. */
  abstract vanish(): void;
  protected abstract send(message: Message): void;

  async open(): Promise<this> {
    if (this.era === 'legacy') {
      await this.request('opening', 'initialize', initialize);
      this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    }
    return this;
  }

  /** Resolves to the answer. */
  request(id: string | number, method: string, params: Record<string, unknown>): Promise<Message> {
    const _meta = { ...(this.era === 'modern' && envelope), ...(params._meta as object | undefined) };
    this.send({ jsonrpc: '2.0', id, method, params: { ...params, _meta } });
    return this.until((message) => message.id === id && message.method === undefined);
  }

  call(id: string | number, name: string, args: object = {}, _meta: object = {}): Promise<Message> {
    return this.request(id, 'tools/call', { name, arguments: args, _meta });
  }

  until(holds: (message: Message) => boolean): Promise<Message> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.received.find(holds);
        if (!found) return;
        this.#looks.delete(look);
        resolve(found);
      };
      this.#looks.add(look);
      look();
    });
  }

  protected take(json: string): void {
    this.received.push(JSON.parse(json) as Message);
    for (const look of [...this.#looks]) look();
  }
}

/** Newline framing: stdio, and the socket of a host. */
export class LineClient extends GatewayClient {
  readonly #to: Writable;
  readonly #vanish: () => void;

  constructor(era: Era, from: Readable, to: Writable, vanish: () => void) {
    super(era);
    this.#to = to;
    this.#vanish = vanish;
    let text = '';
    from.setEncoding('utf8');
    from.on('data', (chunk: string) => {
      const lines = (text + chunk).split('\n');
      text = lines.pop()!;
      for (const line of lines) if (line !== '') this.take(line);
    });
    from.on('close', () => this.markEnded());
    to.on('error', () => undefined); // the other end may have closed
  }

  static over(era: Era, stream: Duplex): LineClient {
    return new LineClient(era, stream, stream, () => stream.destroy());
  }

  async sendMalformed(text: string): Promise<number> {
    const before = this.received.length;
    this.#to.write(`${text}\n`);
    const isNew = (message: Message) => this.received.indexOf(message) >= before;
    return (await this.until((message) => isNew(message) && message.error !== undefined)).error!.code;
  }

  cancel(requestId: string | number): void {
    this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  }

  vanish(): void {
    this.#vanish();
  }

  send(message: Message): void {
    this.#to.write(`${JSON.stringify(message)}\n`);
  }
}

/** Common part of the clients over HTTP. */
abstract class HttpClient extends GatewayClient {
  protected readonly url: string;
  protected readonly connections = new Set<AbortController>();

  constructor(era: Era, url: string) {
    super(era);
    this.url = url;
  }

  vanish(): void {
    for (const connection of this.connections) connection.abort();
  }

  async sendMalformed(text: string): Promise<number> {
    const response = await this.fetch(this.url, { method: 'POST', body: text });
    return ((await response.json()) as Message).error!.code;
  }

  protected async fetch(url: string, init: RequestInit, headers: object = {}): Promise<Response> {
    const common = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    return fetch(url, { ...init, headers: { ...common, ...headers } });
  }

  /** Reads the messages of the answer, as JSON or as events. */
  protected async exchange(url: string, init: RequestInit, headers: object, connection = new AbortController()) {
    this.connections.add(connection);
    try {
      const response = await this.fetch(url, { ...init, signal: connection.signal }, headers);
      this.answered(response);
      if (response.headers.get('content-type')?.includes('text/event-stream')) await this.#takeEvents(response);
      else {
        const text = await response.text();
        if (text !== '') this.take(text);
      }
    } catch {
      // The connection was lost or abandoned.
    }
    this.connections.delete(connection);
    if (this.connections.size === 0) this.markEnded();
  }

  protected answered(_response: Response): void {
    // Only a session uses the headers.
  }

  protected event(_name: string | undefined, data: string): void {
    if (data !== '') this.take(data);
  }

  async #takeEvents(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of response.body!) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      const events = text.split('\n\n');
      text = events.pop()!;
      for (const each of events) {
        const lines = each.split('\n');
        const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        const data = field('data');
        if (data !== undefined) this.event(field('event'), data);
      }
    }
  }
}

/** A client of 2025-11-25: a session with its stream. */
export class SessionClient extends HttpClient {
  #session: Record<string, string> = {};

  constructor(url: string) {
    super('legacy', url);
  }

  override async open(): Promise<this> {
    await super.open();
    void this.exchange(this.url, { method: 'GET' }, this.#session);
    return this;
  }

  cancel(requestId: string | number): void {
    this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  }

  protected send(message: Message): void {
    void this.exchange(this.url, { method: 'POST', body: JSON.stringify(message) }, this.#session);
  }

  protected override answered(response: Response): void {
    const id = response.headers.get('mcp-session-id');
    if (id !== null) this.#session = { 'mcp-session-id': id };
  }
}

/** A client of 2026-07-28: independent requests. Closing the connection of a request cancels it. */
export class SingleClient extends HttpClient {
  readonly #open = new Map<string | number, AbortController>();

  constructor(url: string) {
    super('modern', url);
  }

  cancel(id: string | number): void {
    this.#open.get(id)?.abort();
  }

  protected send(message: Message): void {
    const connection = new AbortController();
    this.#open.set(message.id!, connection);
    const name = message.params?.name ?? message.params?.uri;
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': message.method!,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    };
    void this.exchange(this.url, { method: 'POST', body: JSON.stringify(message) }, headers, connection);
  }
}

/** A client of 2024-11-05: all answers arrive on one stream. */
export class OneStreamClient extends HttpClient {
  #endpoint!: string;
  #found!: () => void;

  constructor(url: string) {
    super('legacy', url);
  }

  override async open(): Promise<this> {
    const found = new Promise<void>((resolve) => {
      this.#found = resolve;
    });
    void this.exchange(this.url, { method: 'GET' }, {});
    await found;
    return super.open();
  }

  override async sendMalformed(text: string): Promise<number> {
    const response = await this.fetch(this.#endpoint, { method: 'POST', body: text });
    return ((await response.json()) as Message).error!.code;
  }

  cancel(requestId: string | number): void {
    this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  }

  protected send(message: Message): void {
    void this.fetch(this.#endpoint, { method: 'POST', body: JSON.stringify(message) }).catch(() => undefined); // the server may be closed
  }

  protected override event(name: string | undefined, data: string): void {
    if (name !== 'endpoint') return super.event(name, data);
    this.#endpoint = new URL(data, this.url).href;
    this.#found();
  }
}
