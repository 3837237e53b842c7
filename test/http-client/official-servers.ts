// Official servers over HTTP in this process: 1.x with sessions, with HTTP+SSE, and 2.x.

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { McpServer as EarlierServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

export interface Serving {
  url: string;
  close(): Promise<void>;
}

export interface Forgetful extends Serving {
  /** Ends all sessions: their requests get 404. */
  end(): Promise<unknown>;
  /** Forgets all sessions, as a restart does. */
  forget(): void;
}

async function listening(handle: RequestListener, path: string, onClose?: () => Promise<unknown>): Promise<Serving> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    close: async () => {
      await onClose?.();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The events of each stream, for resumption. */
class Events {
  readonly #sent: { streamId: string; message: JSONRPCMessage }[] = [];

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    return String(this.#sent.push({ streamId, message }) - 1);
  }

  async replayEventsAfter(lastEventId: string, { send }: { send: Send }): Promise<string> {
    const { streamId } = this.#sent[Number(lastEventId)]!;
    for (const [id, event] of this.#sent.entries()) {
      const isMissed = id > Number(lastEventId) && event.streamId === streamId;
      if (isMissed && 'jsonrpc' in event.message) await send(String(id), event.message);
    }
    return streamId;
  }
}

type Send = (eventId: string, message: JSONRPCMessage) => Promise<void>;

function earlierServer(go?: Promise<unknown>): EarlierServer {
  const server = new EarlierServer({ name: 'official', version: '1' }, { capabilities: { logging: {} } });
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  server.registerTool('counts', {}, async ({ _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken;
    for (let progress = 1; progress <= 3 && progressToken !== undefined; progress++) {
      await sendNotification({ method: 'notifications/progress', params: { progressToken, progress } });
    }
    return { content: [{ type: 'text', text: 'counted' }] };
  });
  server.registerTool('waits', {}, async ({ _meta, sendNotification }) => {
    const progressToken = _meta!.progressToken!;
    await sendNotification({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    await go;
    return { content: [{ type: 'text', text: 'after the cut' }] };
  });
  server.registerTool('asks', {}, async () => {
    const { content } = await server.server.elicitInput({
      message: 'Who?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    });
    return { content: [{ type: 'text', text: JSON.stringify(content) }] };
  });
  server.registerTool('adds', {}, () => {
    server.registerTool('added', {}, () => ({ content: [] }));
    return { content: [] };
  });
  return server;
}

/** Streamable HTTP of the 1.x line. `onRequest` sees each request first. The tool `waits` ends with `go`. */
export async function official1(
  onRequest?: (request: IncomingMessage) => void,
  go?: Promise<unknown>,
): Promise<Forgetful> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const end = () => Promise.all([...sessions.values()].map((transport) => transport.close()));
  const serving = await listening(
    async (request, response) => {
      onRequest?.(request);
      const known = sessions.get(String(request.headers['mcp-session-id']));
      if (known) return known.handleRequest(request, response);
      const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        eventStore: new Events(),
        retryInterval: 30,
        onsessioninitialized: (id) => void sessions.set(id, transport),
      });
      await earlierServer(go).connect(transport as never);
      await transport.handleRequest(request, response);
    },
    '/mcp',
    end,
  );
  return { ...serving, end, forget: () => sessions.clear() };
}

/** Streamable HTTP of the 2.x line with sessions. */
export async function official2Sessions(): Promise<Forgetful> {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const end = () => Promise.all([...sessions.values()].map((transport) => transport.close()));
  const serving = await listening(
    async (request, response) => {
      const known = sessions.get(String(request.headers['mcp-session-id']));
      if (known) return known.handleRequest(request, response);
      const transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => void sessions.set(id, transport),
      });
      await laterServer().connect(transport);
      await transport.handleRequest(request, response);
    },
    '/mcp',
    end,
  );
  return { ...serving, end, forget: () => sessions.clear() };
}

/** HTTP+SSE of 2024-11-05. */
export async function officialSse(): Promise<Serving> {
  const transports = new Map<string, SSEServerTransport>();
  return listening(async (request, response) => {
    const url = new URL(request.url!, 'http://localhost');
    if (request.method === 'GET') {
      const transport = new SSEServerTransport('/messages', response);
      transports.set(transport.sessionId, transport);
      return earlierServer().connect(transport);
    }
    const transport = transports.get(url.searchParams.get('sessionId') ?? '');
    if (transport) await transport.handlePostMessage(request, response);
    else response.writeHead(404).end();
  }, '/sse');
}

function laterServer(): McpServer {
  const server = new McpServer({ name: 'official', version: '2' });
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  return server;
}

/** The 2.x line, in both eras. */
export async function official2(): Promise<Serving> {
  const handler = createMcpHandler(laterServer);
  return listening(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = await handler.fetch(
      new Request(`http://${request.headers.host}${request.url}`, {
        method: request.method!,
        headers: request.headers as Record<string, string>,
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) Readable.fromWeb(answer.body as WebStream).pipe(response);
    else response.end();
  }, '/mcp');
}
