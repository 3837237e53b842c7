// A tap before a remote server: listens on loopback, forwards each request to the server and each response back, and shows
// both. The host uses its own HTTP client, headers and credentials, which are forwarded and never stored.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toError, UsageError } from '../../../base/errors.ts';
import { maskValues } from '../../../base/secrets/mask-values.ts';
import { Connector } from '../../../wire/transport/http/connector.ts';
import { serverUrl } from '../../../wire/transport/http/endpoint.ts';
import type { FlowSource } from '../../flow/source.ts';
import type { FlowStore } from '../../flow/store.ts';
import { failExchange, passExchange } from './pass-exchange.ts';
import { TapSessions } from './tap-sessions.ts';

export interface HttpTapOptions {
  url: string;
  /** Default: any free port. */
  port?: number | undefined;
  store: FlowStore;
  /** The source of the first session. */
  source: FlowSource;
  note: (text: string) => void;
}

/** Protects against web pages of other sites: Host and Origin must be loopback. */
const loopback = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i;

export class HttpTap {
  readonly #options: HttpTapOptions;
  readonly #url: URL;
  readonly #connector: Connector;
  readonly #sessions: TapSessions;
  readonly #mask: (text: string) => string;
  readonly #server: Server;
  #local = '';

  constructor(options: HttpTapOptions) {
    const { url, store, source, note } = options;
    this.#options = options;
    this.#url = serverUrl(url);
    if (this.#url.username !== '' || this.#url.password !== '') {
      throw new UsageError('INVALID_OPTION', '--url: a tap adds no credentials', {
        hint: 'Leave user and password to the host: its headers are forwarded.',
      });
    }
    this.#mask = maskValues({}, [...this.#url.searchParams.values()]);
    this.#connector = new Connector({ url });
    const report = (thrown: unknown) => note(`cannot observe the traffic: ${toError(thrown).message}`);
    this.#sessions = new TapSessions({ store, source, url: this.#url, mask: this.#mask, report });
    this.#server = createServer((request, response) => void this.#pass(request, response));
  }

  /** Resolves to the URL for the host: the URL of the server with a loopback origin, without the query. */
  async listen(): Promise<string> {
    const { port = 0 } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) =>
        reject(
          new UsageError('INVALID_OPTION', `Cannot listen on port ${port}: ${error.message}`, {
            hint: 'Choose another --port.',
            cause: error,
          }),
        ),
      );
      this.#server.listen(port, '127.0.0.1', resolve);
    });
    this.#local = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return `${this.#local}${this.#url.pathname}`;
  }

  async close(): Promise<void> {
    this.#connector.destroy();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
    this.#sessions.close();
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { host = '', origin } = request.headers;
      const isLocal = loopback.test(host) && (!origin || loopback.test(origin.replace(/^https?:\/\//i, '')));
      if (!isLocal) return failExchange(response, 'only programs of this machine may use this address', 403);
      const to = await this.#connector.endpoint(this.#target(request.url ?? '/'));
      const { note } = this.#options;
      await passExchange(request, response, {
        to,
        local: this.#local,
        sessions: this.#sessions,
        note,
        mask: this.#mask,
      });
    } catch (error) {
      failExchange(response, this.#mask(toError(error).message));
    }
  }

  /** Also forwards other paths: metadata, and the POST endpoint of HTTP+SSE. Adds the query of the configured URL, which may hold a key. */
  #target(path: string): URL {
    const [pathname = '/', query] = path.split(/\?(.*)/s);
    const target = new URL(this.#url);
    target.pathname = pathname;
    target.search = query ?? (pathname === this.#url.pathname ? this.#url.search : '');
    return target;
  }
}
