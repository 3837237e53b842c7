// A tap before a remote server: listens on loopback, forwards each request to the server and each response back, and shows
// both. The host uses its own HTTP client, headers and credentials, which are forwarded and never stored.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toError, UsageError } from '../../../base/errors.ts';
import { maskedUrl } from '../../../base/secrets/mask-http.ts';
import { type Mask, maskValues } from '../../../base/secrets/mask-values.ts';
import { Connector } from '../../../wire/transport/http/connector.ts';
import { serverUrl } from '../../../wire/transport/http/endpoint.ts';
import { ObservedRemote } from '../../../wire/transport/http/observed-remote.ts';
import type { FlowSource } from '../../flow/source.ts';
import { FlowStore } from '../../flow/store.ts';
import { type ObserverOptions, startObservers } from '../observers.ts';
import { failExchange, passExchange } from './pass-exchange.ts';

interface HttpTapOptions {
  url: string;
  /** The port of the tap. Default: any free port. */
  port?: number | undefined;
  store: FlowStore;
  /** The source of the first session. */
  source: FlowSource;
  note: (text: string) => void;
}

/** Protects against web pages of other sites: Host and Origin must be loopback. */
const loopback = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i;

class HttpTap {
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
      throw new UsageError('INVALID_OPTION', '--url must not contain a user or a password', {
        hint: 'Set them in the config of the host: its headers are forwarded.',
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
      this.#server.once('error', (cause) => {
        const details = { hint: 'Choose another --port.', cause };
        reject(new UsageError('INVALID_OPTION', `Cannot listen on port ${port}: ${cause.message}`, details));
      });
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
      const options = { to, local: this.#local, sessions: this.#sessions, note, mask: this.#mask };
      await passExchange(request, response, options);
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

interface HttpTapRun extends ObserverOptions {
  url: string;
  port?: number;
  /** The name of the server in recordings and lists. Default: the host of the address. */
  name?: string;
  keepFrameBytes?: number;
  maxBytes?: number;
  maxEvents?: number;
}

export interface RunningHttpTap {
  /** The URL that the host uses instead of the URL of the server. */
  readonly address: string;
  close(): Promise<void>;
}

/** `standpipe tap <url>`. `warn` is called if recording or viewing fails, which does not affect the traffic. */
export async function startHttpTap(options: HttpTapRun, warn: (problem: string) => void): Promise<RunningHttpTap> {
  const { url, port, name = nameOf(url), keepFrameBytes } = options;
  const { maxBytes = 4 * 1024 * 1024, maxEvents = 20_000 } = options;
  const store = new FlowStore({ maxBytes, maxEvents, keepFrameBytes });
  const source = store.begin(name);
  const note = (text: string) => source.add({ kind: 'note', text });
  const tap = new HttpTap({ url, port, store, source, note });
  const address = await tap.listen();
  const command = maskedUrl(url);
  note(`Requests to ${address} are forwarded to ${command}`);
  const about = { kind: 'tap', name, command, cwd: process.cwd(), record: options.record } as const;
  const observers = startObservers(store, source, about, options, (problem) => {
    note(problem);
    warn(problem);
  });
  return {
    address,
    async close() {
      await tap.close();
      await observers.close();
    },
  };
}

function nameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** Beyond this number, the oldest session is shown as closed. */
const MOST_SESSIONS = 200;

interface TapSessionsOptions {
  store: FlowStore;
  /** The source of the first connection. */
  source: FlowSource;
  url: URL;
  mask: Mask;
  report: (thrown: unknown) => void;
}

const INITIALIZE = /"method"\s*:\s*"initialize"/;
const REVISION = /"protocolVersion"\s*:\s*"([\w-]{1,40})"/;

/**
 * Shows each session as one connection. Requests without a session, as in 2026-07-28, share a connection. A session begins with
 * `initialize` and gets its id with the response.
 */
export class TapSessions {
  readonly #options: TapSessionsOptions;
  readonly #byId = new Map<string, ObservedRemote>();
  #alone: ObservedRemote | undefined;
  #hasBegun = false;

  constructor(options: TapSessionsOptions) {
    this.#options = options;
  }

  /** `to`: the URL of the request. `text`: its body, if it is shown. */
  of(id: string | undefined, to: URL, text: string | undefined): ObservedRemote {
    const known = id === undefined ? undefined : this.#byId.get(id);
    if (known) return known;
    const isInitialize = id === undefined && text !== undefined && INITIALIZE.test(text);
    // HTTP+SSE of 2024-11-05 posts to another URL and answers on the stream that is already open.
    const isLegacy = isInitialize && to.href !== this.#options.url.href;
    const session = isInitialize && !isLegacy ? this.#begin() : this.#withoutId();
    const revision = isInitialize ? REVISION.exec(text)?.[1] : undefined;
    if (isInitialize) session.learned({ transport: isLegacy ? 'http+sse' : 'http', revision });
    return session;
  }

  /** Called for the response to a request without a session id. `id`: the session id of the response. */
  answered(session: ObservedRemote, id: string | undefined): void {
    if (session === this.#alone) return;
    if (id === undefined) {
      this.#alone?.disconnected();
      this.#alone = session; // the server has no sessions
      return;
    }
    this.ended(id);
    this.#byId.set(id, session);
    session.learned({ session: id });
    const [oldest] = this.#byId.keys();
    if (this.#byId.size > MOST_SESSIONS) this.ended(oldest!);
  }

  /** Called when the host has ended the session, or the server no longer knows it. */
  ended(id: string, reason?: string): void {
    this.#byId.get(id)?.disconnected(reason);
    this.#byId.delete(id);
  }

  close(): void {
    for (const id of [...this.#byId.keys()]) this.ended(id);
    this.#alone?.disconnected();
  }

  #withoutId(): ObservedRemote {
    this.#alone ??= this.#begin();
    return this.#alone;
  }

  #begin(): ObservedRemote {
    const { store, source, url, mask, report } = this.#options;
    const session = new ObservedRemote(this.#hasBegun ? store.begin(source.server) : source, {}, mask, report);
    this.#hasBegun = true;
    session.connected(url);
    return session;
  }
}
