// The HTTP connections of one transport. Sockets are reused between requests and use a proxy if the environment names one.

import { type AgentOptions, type ClientRequest, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { Endpoint, isLoopbackEndpoint } from './endpoint.ts';
import { DEFAULT_CONNECT_TIMEOUT_MS, type HttpClientOptions } from './http-client-options.ts';
import { type HttpEvents, HttpRequest, type Sent } from './http-request.ts';
import { ProxyAgents } from './proxy-agents.ts';

/** How long an idle socket stays open. If the server announces a shorter time, Node.js closes the socket one second before it. */
const IDLE_MS = 60_000;
/** TCP keep-alive delay. Without probes, a machine that disappeared is not noticed. */
const PROBE_AFTER_MS = 30_000;

const proxyVariables = ['http_proxy', 'https_proxy', 'all_proxy'].flatMap((name) => [name, name.toUpperCase()]);

export class Connector {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  readonly #options: HttpClientOptions;
  readonly #agents = new Map<string, HttpAgent>();
  readonly #proxies: ProxyAgents;
  readonly #proxied = new WeakSet<HttpAgent>();
  #isDestroyed = false;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.clock = options.clock ?? systemClock;
    this.connectTimeoutMs = options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS;
    this.#proxies = new ProxyAgents(this.clock, this.connectTimeoutMs);
  }

  async endpoint(url: URL): Promise<Endpoint> {
    const isProxySet = !isLoopbackEndpoint(url) && proxyVariables.some((name) => process.env[name]);
    const proxy = isProxySet ? await proxyFor(url) : '';
    const key = `${url.protocol} ${proxy}`;
    const agent = this.#agents.get(key) ?? (proxy ? await this.#proxyAgent(url, proxy) : this.#agent(url));
    this.#agents.set(key, agent);
    if (this.#isDestroyed) agent.destroy();
    return new Endpoint(url, agent, this.#options.ca);
  }

  open(endpoint: Endpoint, sent: Omit<Sent, 'isProxied'>, events: HttpEvents): HttpRequest {
    const isProxied = this.#proxied.has(endpoint.options.agent as HttpAgent);
    return new HttpRequest(this, endpoint, { ...sent, isProxied }, events);
  }

  /** Cancels the request, even if it has no socket yet. */
  giveUp(request: ClientRequest): void {
    this.#proxies.giveUp(request);
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#proxies.giveUp();
    for (const agent of this.#agents.values()) agent.destroy();
  }

  #agentOptions(): AgentOptions & { ca?: never } {
    return {
      keepAlive: true,
      keepAliveMsecs: PROBE_AFTER_MS,
      keepAliveInitialDelay: PROBE_AFTER_MS,
      scheduling: 'lifo',
      timeout: IDLE_MS,
      maxFreeSockets: 256,
      ...(this.#options.ca !== undefined && { ca: this.#options.ca as never }),
    } as AgentOptions;
  }

  #agent(url: URL): HttpAgent {
    return url.protocol === 'https:' ? new HttpsAgent(this.#agentOptions()) : new HttpAgent(this.#agentOptions());
  }

  async #proxyAgent(url: URL, proxy: string): Promise<HttpAgent> {
    const agent = await this.#proxies.agent(url, proxy, this.#agentOptions());
    if (url.protocol === 'http:') this.#proxied.add(agent);
    return agent;
  }
}

async function proxyFor(url: URL): Promise<string> {
  // @ts-expect-error it comes without types
  const { getProxyForUrl } = (await import('proxy-from-env')) as { getProxyForUrl: (url: string) => string };
  return getProxyForUrl(url.href);
}
