// Forwards one HTTP request from the host to the server and its response back, chunk by chunk, with backpressure. A response that the
// server cuts off is cut off for the host, and a request that the host aborts is aborted at the server.

import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { secretsInHeaders } from '../../../base/credentials.ts';
import { toError } from '../../../base/errors.ts';
import { BodyParts } from '../../../base/part-list.ts';
import { isWorthMasking, learnSecret } from '../../../base/secrets/mask-values.ts';
import { isSecretName } from '../../../base/secrets/secret-names.ts';
import type { Endpoint } from '../../../wire/transport/http/endpoint.ts';
import { EventStream } from '../../../wire/transport/http/event-stream.ts';
import type { ExchangeObserver } from '../../../wire/wire.ts';
import type { TapSessions } from './http-tap.ts';

/** RFC 9110, 7.6.1: headers that apply to a single connection. */
const hopByHop = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['proxy-authenticate', 'proxy-authorization'],
]);
type HeaderPair = readonly [name: string, value: string];

interface PassOptions {
  /** The server, with the path of this request. */
  to: Endpoint;
  /** The origin of the tap, which the host uses. */
  local: string;
  sessions: TapSessions;
  note: (text: string) => void;
  mask: (text: string) => string;
}

export async function passExchange(
  request: IncomingMessage,
  response: ServerResponse,
  options: PassOptions,
): Promise<void> {
  const { to, sessions, note } = options;
  const { bytes, isWhole } = await beginningOf(request);
  learnCredentials(request.headers);
  // A form is a token request with a code or a password, not a message.
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '');
  const text = isWhole && bytes.length > 0 && !isForm ? bytes.toString() : undefined;
  if (!isWhole) note(`A request of more than ${MOST_SEEN_BYTES} bytes is forwarded and not shown`);
  if (response.destroyed) return;
  const id = oneOf(request.headers['mcp-session-id']);
  const session = sessions.of(id, to.url, text);
  const upstream = to.send({ ...to.options, method: request.method });
  for (const [name, value] of requestHeaders(request)) upstream.appendHeader(name, value);
  const seen = session.exchange(upstream, { url: to.url, headers: request.headers, text });
  upstream.on('response', (answer) => {
    if (id === undefined) sessions.answered(session, oneOf(answer.headers['mcp-session-id']));
    if (id !== undefined && answer.statusCode === 404) sessions.ended(id, 'the server does not know the session');
    if (id !== undefined && request.method === 'DELETE' && answer.statusCode! < 300) sessions.ended(id);
    passResponse(answer, response, seen, options);
  });
  // The server switched to another protocol: Node.js closes the connection, without an error.
  upstream.on('close', () => {
    if (!response.headersSent) failExchange(response, `${to.url.origin} closed the connection without a response`);
  });
  upstream.on('error', (error) =>
    failExchange(response, `cannot reach ${to.url.origin}: ${options.mask(error.message)}`),
  );
  response.on('close', () => {
    if (!response.writableFinished) upstream.destroy();
  });
  if (isWhole) return void (bytes.length > 0 ? upstream.end(bytes) : upstream.end());
  upstream.write(bytes);
  request.on('error', (error) => upstream.destroy(error));
  request.pipe(upstream);
}

function passResponse(
  answer: IncomingMessage,
  response: ServerResponse,
  seen: ExchangeObserver,
  { to, local, note }: PassOptions,
): void {
  const tooLong = (bytes: number) => note(`A body of ${bytes} bytes is forwarded and not shown`);
  const body = (isStream(answer) ? events : whole)(seen, tooLong);
  try {
    response.writeHead(answer.statusCode!, answer.statusMessage, responseHeaders(answer, to.url, local));
  } catch (error) {
    answer.destroy();
    return failExchange(response, `the response of ${to.url.origin} cannot be forwarded: ${toError(error).message}`);
  }
  if (isStream(answer)) response.flushHeaders(); // the first event may come much later
  response.on('drain', () => answer.resume());
  answer.on('data', (chunk: Buffer) => {
    if (!response.write(chunk)) answer.pause();
    body.chunk(chunk);
  });
  answer.on('end', () => {
    body.end();
    response.end();
  });
  answer.on('error', () => response.destroy());
}

/** The whole body, or its beginning if it is longer than MOST_SEEN_BYTES. */
function beginningOf(request: IncomingMessage): Promise<{ bytes: Buffer; isWhole: boolean }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length <= MOST_SEEN_BYTES) return;
      request.off('data', take);
      request.pause();
      resolve({ bytes: Buffer.concat(chunks), isWhole: false });
    };
    request.on('data', take);
    request.once('end', () => resolve({ bytes: Buffer.concat(chunks), isWhole: true }));
    request.once('error', reject);
  });
}

/** Learns credentials so that they are masked if the server repeats them in a body. */
function learnCredentials(headers: IncomingHttpHeaders): void {
  for (const [name, value = ''] of Object.entries(headers)) {
    if (!isSecretName(name)) continue;
    for (const secret of secretsInHeaders({ [name]: String(value) })) if (isWorthMasking(secret)) learnSecret(secret);
  }
}

/** Answers the host with an HTTP error, or cuts off a response that has already begun. */
export function failExchange(response: ServerResponse, problem: string, status = 502): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, STATUS_CODES[status], { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`standpipe tap: ${problem}\n`);
}

function oneOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0];
}

/**
 * Headers are forwarded unchanged and in their order, except hop-by-hop headers and those that contain the address.
 * Requests uncompressed bodies: compressed ones cannot be shown.
 */
function requestHeaders(request: IncomingMessage): HeaderPair[] {
  const passed = pairsOf(request).filter(([name]) => !/^(?:host|accept-encoding|expect)$/i.test(name));
  return [...passed, ['Accept-Encoding', 'identity']];
}

/** `local` replaces the origin of the server in Location, so that the host keeps using the tap. */
function responseHeaders(response: IncomingMessage, server: URL, local: string): string[] {
  return pairsOf(response).flatMap(([name, value]) => {
    const isHere = /^location$/i.test(name) && (value === server.origin || value.startsWith(`${server.origin}/`));
    return [name, isHere ? local + value.slice(server.origin.length) : value];
  });
}

function pairsOf({ rawHeaders, headers }: IncomingMessage): HeaderPair[] {
  const named = new Set((headers.connection ?? '').toLowerCase().split(/[\s,]+/));
  const pairs: HeaderPair[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (!hopByHop.has(name) && !named.has(name)) pairs.push([rawHeaders[at]!, rawHeaders[at + 1]!]);
  }
  return pairs;
}

/** Longer bodies and events are forwarded but not shown. */
const MOST_SEEN_BYTES = 16 * 1024 * 1024;

/** Extracts the messages of a forwarded response: one JSON text, or the events of a stream. Gets each chunk after it was forwarded. */
interface SeenBody {
  chunk(bytes: Buffer): void;
  end(): void;
}

function isStream({ headers }: IncomingMessage): boolean {
  return /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
}

function events(seen: ExchangeObserver, tooLong: (bytes: number) => void): SeenBody {
  const stream = new EventStream(
    {
      data: (chunk, start, end) => seen.received(chunk, start, end),
      other: () => undefined,
      id: () => undefined,
      retry: () => undefined,
      tooLong,
    },
    MOST_SEEN_BYTES,
  );
  return { chunk: (bytes) => stream.push(bytes), end: () => undefined };
}

function whole(seen: ExchangeObserver, tooLong: (bytes: number) => void): SeenBody {
  const body = new BodyParts(MOST_SEEN_BYTES);
  return {
    chunk: (bytes) => void body.add(bytes),
    end() {
      const { bytes } = body;
      if (bytes > MOST_SEEN_BYTES) tooLong(bytes);
      else if (bytes > 0) seen.received(body.whole(), 0, bytes);
    },
  };
}
