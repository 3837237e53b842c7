// Detects and explains HTTP problems between a remote server and its client.

import { ownCommand } from '../../base/own-command.ts';
import type { FlowEvent, HttpFact, RemoteFact } from '../flow/event.ts';
import { keepNewest } from './exchange.ts';
import { isHttpFailure } from './http-failure.ts';

const SLOW_RESPONSE_MS = 10_000;

/** Title and explanation of each kind of problem. */
// biome-ignore format: one row for each kind
export const httpWords = {
  unreachable: ['Unreachable', 'An HTTP request got no response. Check the URL, whether the server runs, and the network, proxies and certificates.'],
  'http-error': ['HTTP error', 'A request was answered with an HTTP status of 400 or above. The body of the response often shows the reason. Check the path of the URL: many servers answer only at /mcp.'],
  'login-needed': ['Credential refused', `The server refused the credential of a request, or the request had none. Run ${ownCommand} login for this server, or set a valid header in its config.`],
  'session-lost': ['Session lost', 'The server no longer knows the session of a request: it was restarted, or a request reached another instance of it. Keep sessions in a shared store, or send all requests of a session to one instance.'],
  'wrong-content-type': ['Wrong content type', 'The response to a message is neither application/json nor text/event-stream. Clients cannot read it. Something other than the MCP server may have answered: a proxy, a login page, another path.'],
  'slow-response': ['Slow to respond', 'The headers of a response arrived after more than 10 s. Proxies and clients may give up earlier. A server that answers slow requests with an event stream sends its headers at once.'],
  'stream-cut': ['Response cut off', 'A response ended before it was complete. Proxies often cut streams that are silent for 30 or 60 s: send comments (“: ping”) or raise their timeout.'],
  'deprecated-transport': ['Uses HTTP+SSE', 'The server uses the HTTP+SSE transport of 2024-11-05, which later revisions have replaced. Ask its maintainers for Streamable HTTP.'],
} as const;

export type HttpProblemKind = keyof typeof httpWords;

export function httpProblems(fact: HttpFact): HttpProblemKind[] {
  const { state, method, status, waitMs = 0, body } = fact;
  if (state !== 'answered') return isHttpFailure(fact) ? [state === 'failed' ? 'unreachable' : 'stream-cut'] : [];
  if (isHttpFailure(fact)) return [refusalOf(fact)];
  const problems: HttpProblemKind[] = [];
  if (method === 'POST' && body === 'other' && status! < 300) problems.push('wrong-content-type');
  if (waitMs > SLOW_RESPONSE_MS) problems.push('slow-response');
  return problems;
}

function refusalOf({ status, requestHeaders = '' }: HttpFact): HttpProblemKind {
  if (status === 401 || status === 403) return 'login-needed';
  return status === 404 && /^mcp-session-id:/im.test(requestHeaders) ? 'session-lost' : 'http-error';
}

export function remoteProblems({ state, transport, reason }: RemoteFact): HttpProblemKind[] {
  if (state === 'disconnected' && reason !== undefined) return ['unreachable'];
  return state === 'known' && transport === 'http+sse' ? ['deprecated-transport'] : [];
}

export function httpDetail({ method, url, status, reason }: HttpFact): string {
  return `${method} ${url}: ${status === undefined ? (reason ?? '') : `HTTP ${status}`}`;
}

/** The events of one HTTP request to a server. */
interface HttpTrace {
  /** The event with the response headers. Absent until the response begins or fails. */
  beganSeq?: number;
  /** The event that ends a stream. */
  endedSeq?: number;
  readonly frames: number[];
  frameCount: number;
}

/** Beyond this number, the oldest requests are forgotten. */
const MOST_EXCHANGES = 20_000;
const MOST_FRAMES = 50;

export class HttpExchanges {
  readonly #traces = new Map<string, HttpTrace>();

  see(event: FlowEvent): void {
    const key = keyOf(event);
    if (key === undefined) return;
    let trace = this.#traces.get(key);
    if (!trace) {
      trace = { frames: [], frameCount: 0 };
      this.#traces.set(key, trace);
      keepNewest(this.#traces, MOST_EXCHANGES);
    }
    if (event.kind === 'http') {
      if (event.state === 'ended') trace.endedSeq = event.seq;
      else trace.beganSeq = event.seq;
      return;
    }
    trace.frameCount++;
    if (trace.frames.length < MOST_FRAMES) trace.frames.push(event.seq);
  }

  of(event: FlowEvent): HttpTrace | undefined {
    const key = keyOf(event);
    return key === undefined ? undefined : this.#traces.get(key);
  }
}

function keyOf(event: FlowEvent): string | undefined {
  const { server, life } = event;
  if (event.kind === 'http') return `${life} ${event.exchange} ${server}`;
  if (event.kind !== 'frame' || !event.http) return undefined;
  const isOfServer = event.direction === 'toServer' || event.direction === 'fromServer';
  return isOfServer ? `${life} ${event.http.exchange} ${server}` : undefined;
}
