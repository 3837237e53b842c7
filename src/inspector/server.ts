// The Inspector: a page and its API on this machine's loopback. Starts nothing and stops nothing but itself.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../base/errors.ts';
import { Access } from './access.ts';
import { answer, IDLE_MS } from './answer.ts';
import { LiveFeed } from './live-feed.ts';
import { makeApi } from './routes.ts';
import type { InspectorSource } from './source.ts';
import { InspectorView } from './view.ts';

export interface InspectorOptions {
  /** The first to try: 6280. One that is busy moves on to the next; 0 takes any that is free. */
  port?: number;
  /** Where the page was built to. */
  uiFolder?: string;
}

export interface Inspector {
  /** To be opened in a browser: carries the token. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** Resolves when nothing of it is open any more. The source is closed with it. */
  close(): Promise<void>;
}

export const DEFAULT_PORT = 6280;
const MOST_TRIES = 20;
/** Never another: what is shown here is nobody else's business. */
const HOST = '127.0.0.1';
const builtPage = fileURLToPath(new URL('../../dist/ui', import.meta.url));

export async function startInspector(source: InspectorSource, options: InspectorOptions = {}): Promise<Inspector> {
  const { port: firstPort = DEFAULT_PORT, uiFolder = builtPage } = options;
  const view = new InspectorView(source);
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 5_000 });
  server.timeout = IDLE_MS;
  server.maxConnections = 256;
  try {
    await source.open?.();
    await listen(server, firstPort);
  } catch (error) {
    view.close();
    await source.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  const access = new Access(port);
  const feed = new LiveFeed(view);
  const api = makeApi(view, feed);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void answer(request, response, { access, routes: api.routes, uiFolder });
  });
  return {
    url: `http://${HOST}:${port}/?token=${access.token}`,
    port,
    token: access.token,
    async close() {
      api.close();
      feed.close();
      view.close();
      source.questions?.refuseAll('The Inspector was closed');
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await source.close();
    },
  };
}

async function listen(server: Server, firstPort: number): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await tryListen(server, firstPort === 0 ? 0 : firstPort + tries - 1);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && tries < MOST_TRIES) continue;
      throw new UsageError('INVALID_OPTION', `The Inspector cannot listen: ${message}`, {
        hint: 'Give it another port.',
        cause: error,
      });
    }
  }
}

function tryListen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
