// The Inspector: a page and its API on the loopback interface. It does not start or stop servers by itself.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UsageError } from '../../base/errors.ts';
import { Access } from '../../wire/http/access.ts';
import { Connections } from '../../wire/http/connections.ts';
import { builtPage } from '../built-files.ts';
import { answer } from './answer.ts';
import { makeApi } from './routes.ts';
import type { InspectorSource } from './sources/source.ts';
import { LiveFeed } from './views/live-feed.ts';
import { InspectorView } from './views/view.ts';

/** The only address in use, so that the server is unreachable from other machines. */
const LOOPBACK = '127.0.0.1';
const MOST_TRIES = 20;

interface InspectorOptions {
  /** First port to try. Default: 6280. If it is in use, the next one is tried; 0 takes any free port. */
  port?: number;
  uiFolder?: string;
  /** Receives errors of the HTTP server while it runs. Default: emits a warning. */
  onError?: (error: Error) => void;
}

export interface Inspector {
  /** The address to open in a browser, with the token. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** Resolves when all connections are closed. The source is closed with it. */
  close(): Promise<void>;
}

const DEFAULT_PORT = 6280;

export async function startInspector(source: InspectorSource, options: InspectorOptions = {}): Promise<Inspector> {
  const { port: firstPort = DEFAULT_PORT, uiFolder = builtPage, onError = warn } = options;
  const view = new InspectorView(source);
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 5_000 });
  const connections = new Connections(server);
  try {
    await source.open?.();
    await listen(server, firstPort, onError);
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
    void answer(request, response, { access, connections, api: api.router, uiFolder, masked: view.masked });
  });
  return {
    url: `http://${LOOPBACK}:${port}/?token=${access.token}`,
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

function warn({ message }: Error): void {
  process.emitWarning(`The Inspector continues after an error: ${message}`);
}

/** Tries the next port if one is in use; 0 takes any free port. `onError` is called for later errors. */
export async function listen(server: Server, firstPort: number, onError: (error: Error) => void): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await tryListen(server, firstPort === 0 ? 0 : firstPort + tries - 1);
      break;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && tries < MOST_TRIES) continue;
      throw new UsageError('INVALID_OPTION', `The server cannot listen: ${message}`, {
        hint: 'Choose another port.',
        cause: error,
      });
    }
  }
  server.on('error', onError); // without a listener, an error would end the process and thereby the host
}

async function tryListen(server: Server, port: number): Promise<void> {
  server.listen(port, LOOPBACK);
  await once(server, 'listening'); // rejects with the server's error
}
