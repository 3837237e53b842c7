// An HTTP server whose test handles each request, with the minimum of MCP that a client needs to connect.

import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface Message {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
}

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** Message of a POST. */
  message: Message;
  /** Answers the request with this result, as JSON. */
  answer(result?: object): void;
  json(body: unknown, status?: number): void;
  /** Begins an event stream. */
  stream(...events: string[]): void;
}

/** Handlers by the method of the message, or `get` and `delete`. */
export type Script = Record<string, (exchange: Exchange) => void>;

export interface Scripted {
  url: string;
  /** The received requests in order: the method of the message or of the request, and the headers. */
  seen: { what: string; headers: IncomingMessage['headers']; message: Message }[];
  sockets(): Promise<number>;
  close(): Promise<void>;
}

export const SESSION = 'session-0123456789abcdef';

const usual: Script = {
  initialize: ({ answer, response, message }) => {
    response.setHeader('mcp-session-id', SESSION);
    const protocolVersion = message.params?.protocolVersion;
    answer({
      protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 's', version: '1' },
    });
  },
  'notifications/initialized': ({ response }) => response.writeHead(202).end(),
  'notifications/cancelled': ({ response }) => response.writeHead(202).end(),
  'tools/call': ({ answer, message }) => answer({ content: [{ type: 'text', text: String(message.params?.name) }] }),
  'tools/list': ({ answer }) => answer({ tools: [] }),
  get: ({ response }) => response.writeHead(405).end(),
  delete: ({ response }) => response.writeHead(200).end(),
};

export async function scripted(script: Script, tls?: { cert: string; key: string }): Promise<Scripted> {
  const all = { ...usual, ...script };
  const seen: Scripted['seen'] = [];
  const handle: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const message: Message = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {};
      const what = request.method === 'POST' ? (message.method ?? 'answer') : request.method!.toLowerCase();
      seen.push({ what, headers: request.headers, message });
      const json = (body: unknown, status = 200) =>
        void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      const answer = (result: object = {}) => json({ jsonrpc: '2.0', id: message.id, result });
      const stream = (...events: string[]) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(events.length > 0 ? events.join('') : ':\n\n');
      };
      all[what]?.({ request, response, message, answer, json, stream });
    });
  };
  const server = tls ? createTlsServer(tls, handle) : createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    sockets: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** An event with the answer to a message. */
export function answerEvent({ id }: Message, text: string, eventId?: string): string {
  const result = { content: [{ type: 'text', text }] };
  return event({ jsonrpc: '2.0', id, result }, eventId);
}

export function event(message: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`;
}
