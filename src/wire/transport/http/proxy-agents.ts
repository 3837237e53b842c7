// Agents that connect through a proxy. The libraries wait for the proxy without a limit and keep its socket when the request is cancelled.
// This file fixes both.

import type { AgentOptions, ClientRequest, Agent as HttpAgent } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../../base/clock.ts';

/** The members that both libraries share. */
interface ProxyAgent extends HttpAgent {
  connectOpts: object;
  connect(request: ClientRequest, options: never): Promise<Socket>;
}

export class ProxyAgents {
  readonly #clock: Clock;
  readonly #connectTimeoutMs: number;
  /** Requests that are not connected yet. */
  readonly #attempts = new Map<ClientRequest, AbortController>();

  constructor(clock: Clock, connectTimeoutMs: number) {
    this.#clock = clock;
    this.#connectTimeoutMs = connectTimeoutMs;
  }

  async agent(url: URL, proxy: string, options: AgentOptions): Promise<HttpAgent> {
    if (url.protocol === 'https:') {
      const { HttpsProxyAgent } = await import('https-proxy-agent');
      return this.#limited(new HttpsProxyAgent(proxy, options as object) as unknown as ProxyAgent);
    }
    const { HttpProxyAgent } = await import('http-proxy-agent');
    return this.#limited(new HttpProxyAgent(proxy, options as object) as unknown as ProxyAgent);
  }

  /** Cancels all connection attempts if `request` is absent. */
  giveUp(request?: ClientRequest): void {
    const given = request ? [this.#attempts.get(request)] : this.#attempts.values();
    for (const attempt of given) attempt?.abort(new Error('The request was given up'));
  }

  #limited(agent: ProxyAgent): ProxyAgent {
    const { connectOpts } = agent;
    const connect = agent.connect.bind(agent);
    agent.connect = async (request, options) => {
      const attempt = new AbortController();
      const ms = this.#connectTimeoutMs;
      const timer = this.#clock.after(ms, () =>
        attempt.abort(new Error(`No connection within ${ms} ms (connectTimeoutMs)`)),
      );
      this.#attempts.set(request, attempt);
      agent.connectOpts = { ...connectOpts, signal: attempt.signal }; // `connect` reads this before its first `await`
      try {
        return await connect(request, options);
      } catch (error) {
        throw attempt.signal.aborted ? attempt.signal.reason : error;
      } finally {
        timer.cancel();
        this.#attempts.delete(request);
      }
    };
    return agent;
  }
}
