// A client that writes messages unchanged and keeps the received ones, for tests of the exact messages on the pipe.

import { duplexPair } from 'node:stream';
import { type ClientAdapterOptions, serve } from '../../src/mcp/adapter/client-adapters.ts';
import type { Server } from '../../src/mcp/server/server.ts';
import type { Service } from '../../src/mcp/service.ts';
import { StreamTransport } from '../../src/wire/transport/stream-transport.ts';

type Message = Record<string, unknown> & { id?: unknown; method?: string; params?: Record<string, unknown> };

export const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
};

export class RawClient {
  readonly received: Message[] = [];
  /** Resolves when the server end of the connection is closed. */
  readonly closed: Promise<unknown>;
  #near: import('node:stream').Duplex;
  #looks = new Set<() => void>();
  #nextId = 100;

  private constructor(near: import('node:stream').Duplex, closed: Promise<unknown>) {
    this.#near = near;
    this.closed = closed;
    let text = '';
    near.on('data', (chunk) => {
      text += chunk;
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) this.received.push(JSON.parse(line));
      for (const look of [...this.#looks]) look();
    });
  }

  static async connect(served: Server | Service, options?: ClientAdapterOptions): Promise<RawClient> {
    const [near, far] = duplexPair();
    const channel = StreamTransport.over(far);
    const { closed } = await ('connect' in served ? served.connect(channel) : serve(served, channel, options));
    return new RawClient(near, closed);
  }

  write(message: object | string): void {
    this.#near.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  }

  end(): void {
    this.#near.end();
  }

  notify(method: string, params?: object): void {
    this.write({ jsonrpc: '2.0', method, params });
  }

  async request(method: string, params?: object, id: string | number = this.#nextId++): Promise<Message> {
    this.write({ jsonrpc: '2.0', id, method, params });
    return this.until((message) => message.id === id && message.method === undefined);
  }

  /** A request of 2026-07-28, with its envelope. */
  modern(method: string, params: object = {}, capabilities: object = {}, meta: object = {}): Promise<Message> {
    const _meta = { ...META, 'io.modelcontextprotocol/clientCapabilities': capabilities, ...meta };
    return this.request(method, { ...params, _meta });
  }

  async initialize(protocolVersion = '2025-11-25', capabilities: object = {}): Promise<Message> {
    const clientInfo = { name: 'raw', version: '1' };
    const answer = await this.request('initialize', { protocolVersion, capabilities, clientInfo });
    this.notify('notifications/initialized');
    return answer;
  }

  until(matches: (message: Message) => boolean): Promise<Message> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.received.find(matches);
        if (!found) return;
        this.#looks.delete(look);
        resolve(found);
      };
      this.#looks.add(look);
      look();
    });
  }

  notified(method: string): Promise<Message> {
    return this.until((message) => message.method === method);
  }
}

export function resultOf<T = Record<string, unknown>>(message: Message): T {
  if (!message.result) throw new Error(`No result: ${JSON.stringify(message)}`);
  return message.result as T;
}
