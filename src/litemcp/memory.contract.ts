// In-memory wires for the tests of LiteMCP: both ends of a real connection, or one end of raw bytes.

import { type Duplex, duplexPair, type Readable, type Writable } from 'node:stream';
import { clientOf } from '../mcp/client/client.ts';
import { openClient } from '../mcp/client/opening/open-client.ts';
import type { ClientOptions } from '../mcp/client/options.ts';
import type { Server } from '../mcp/server/server.ts';
import { blankLines } from '../wire/framing/blank-lines.ts';
import { memoryPair } from '../wire/transport/stream-transport.ts';
import { StreamWire } from '../wire/transport/stream-wire.ts';
import type { WireOptions } from '../wire/wire.ts';
import { LiteMcpClient, type LiteMcpClientOptions } from './client.ts';
import { LiteMcpServer, type LiteMcpServerOptions } from './server.ts';
import { LiteMcpService } from './service.ts';

export const calculatorTool = {
  name: 'Calculator',
  description: 'A simple calculator',
  example: 'Calculate the sum of 2 and 3',
  parameters: [
    { name: 'a', type: 'number', description: 'The first number', example: '2' },
    { name: 'b', type: 'number', description: 'The second number', example: '3' },
  ],
} as const;

export function calculator(options: LiteMcpServerOptions = {}): LiteMcpServer {
  return new LiteMcpServer(calculatorTool, ({ a, b }) => a + b, options);
}

export function wireOver(stream: Duplex, options: WireOptions = {}): StreamWire {
  return new StreamWire(stream, stream, { framing: blankLines(), ...options });
}

export async function connected(server: LiteMcpServer, options: LiteMcpClientOptions = {}) {
  const [near, far] = duplexPair();
  const connection = await server.serve(wireOver(far));
  const client = new LiteMcpClient(wireOver(near), options);
  await client.start();
  return { client, connection };
}

/** The other end as bytes: its output, split at three newlines, and its input. */
export class RawEnd {
  readonly stream: Writable;
  #text = '';
  #waiting: (() => void) | undefined;
  #ended = false;

  constructor(input: Readable, output: Writable) {
    this.stream = output;
    input.setEncoding('utf8');
    input.on('data', (text: string) => {
      this.#text += text;
      this.#waiting?.();
    });
    input.on('end', () => {
      this.#ended = true;
      this.#waiting?.();
    });
  }

  write(bytes: string | Uint8Array): void {
    this.stream.write(bytes);
  }

  /** The next message with its three newlines. */
  async next(): Promise<string> {
    for (;;) {
      const end = this.#text.indexOf('\n\n\n');
      if (end >= 0) {
        const message = this.#text.slice(0, end + 3);
        this.#text = this.#text.slice(end + 3);
        return message;
      }
      if (this.#ended) throw new Error(`The other end is gone; it had written ${JSON.stringify(this.#text)}`);
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
  }

  async nextJson(): Promise<Record<string, unknown>> {
    return JSON.parse(await this.next());
  }

  /** The text that was written and not read yet. */
  get unread(): string {
    return this.#text;
  }
}

/** A server on one end, and its raw client. */
export async function rawClientOf(server: LiteMcpServer, wireOptions: WireOptions = {}) {
  const [near, far] = duplexPair();
  const connection = await server.serve(wireOver(far, wireOptions));
  return { raw: new RawEnd(near, near), connection };
}

/** A client on one end, and its raw server. */
export async function rawServerOf(options: LiteMcpClientOptions = {}, wireOptions: WireOptions = {}) {
  const [near, far] = duplexPair();
  const wire = wireOver(near, wireOptions);
  const client = new LiteMcpClient(wire, options);
  await client.start();
  return { raw: new RawEnd(far, far), client, wire };
}

/** A promise that a test resolves. */
export function gate<T = void>() {
  let open!: (value: T) => void;
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** A Standpipe MCP client of an MCP server, over bytes in memory. */
export async function mcpClientOf(server: Pick<Server, 'connect'>, options: ClientOptions = {}) {
  const [near, far] = memoryPair();
  await server.connect(far);
  return openClient({ open: () => near, canReopen: false, key: undefined }, options);
}

/** A Standpipe MCP client of a LiteMCP server. */
export async function mcpClientOfLite(server: LiteMcpServer, options: LiteMcpClientOptions = {}) {
  const { client: lite, connection } = await connected(server, options);
  return { client: await mcpClientOver(lite), connection };
}

export function mcpClientOver(lite: LiteMcpClient) {
  return clientOf(new LiteMcpService(lite), {}, { link: lite });
}
