// One HTTP request and its response, independent of the library that received it: `http` of Node.js, which Express and Fastify also provide,
// or Web `Request` and `Response` (Hono, serverless runtimes). An observer gets the body of the request and each message of the response,
// but no headers: they carry tokens and session ids.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { decodeText } from '../../../base/decode-text.ts';
import { BodyParts } from '../../../base/part-list.ts';
import type { ObserveClient, ObservedClient } from '../../../mcp/adapter/client-observer.ts';
import { newClient } from '../../../mcp/service.ts';
import type { Principal } from '../access/auth.ts';
import type { Admission } from '../limits.ts';

type Headers = Readonly<Record<string, string>>;
type MayHold = (bytes: number) => boolean;

export interface EventWriter {
  write(text: string): void;
  end(): void;
  /** Closes the connection immediately and drops pending data. */
  abort(): void;
  /** Number of bytes that the client has not read yet. */
  readonly waiting: number;
  /** Called when the client has read all pending data. */
  ondrain: (() => void) | undefined;
}

/** If at most this much of a request body is left unread, the connection stays usable. */
const MOST_DROPPED_BYTES = 64 * 1024;

export abstract class HttpExchange {
  /** The verified sender, if known. */
  principal: Principal | undefined;
  /** The resources that the request holds, released when the response has ended. */
  admission: Admission | undefined;
  /** Called once: with true when the response is written completely, with false if the client disconnected earlier. */
  onclose: ((isComplete: boolean) => void) | undefined;
  observe: ObserveClient | undefined;
  abstract readonly method: string;
  /** Path of the URL, without the query. */
  abstract readonly path: string;
  /** The query; undefined if the URL has none. */
  abstract readonly query: URLSearchParams | undefined;
  /** True if `onclose` was called, or would have been. */
  abstract readonly isClosed: boolean;
  #body: string | undefined;
  #client: ObservedClient | undefined;
  #number = 0;

  /** `name` must be lower case. */
  abstract header(name: string): string | undefined;
  /** Sets a header for any later response. */
  abstract setHeader(name: string, value: string): void;
  protected abstract readBody(maxBytes: number, mayHold?: MayHold): Promise<string | undefined>;
  protected abstract respond(status: number, headers: Headers, body?: string): void;
  protected abstract openStream(headers: Headers): EventWriter;

  /** The body of the request. Undefined if it exceeds `maxBytes`, or if `mayHold` refused a number of additional bytes. */
  text(maxBytes: number, mayHold?: MayHold): Promise<string | undefined> {
    const text = this.readBody(maxBytes, mayHold);
    if (!this.observe) return text;
    return text.then((body) => {
      this.#body = body;
      return body;
    });
  }

  /** Names the client to the observer. Called once, before the request has any effect. */
  belongsTo(client: ObservedClient | undefined): void {
    if (!client) return;
    this.#client = client;
    this.#number = client.nextExchange();
    if (this.#body !== undefined) client.fromClient(this.#body, this.#number);
    this.#body = undefined;
  }

  answer(status: number, headers: Headers, body?: string): void {
    if (body && this.observe) this.#observed(this.observe).toClient(body, this.#number, status);
    this.#client?.answered();
    this.respond(status, headers, body);
  }

  /** Starts a response that is written in pieces. */
  stream(headers: Headers): EventWriter {
    const writer = this.openStream(headers);
    if (!this.observe) return writer;
    const client = this.#observed(this.observe);
    const { write, end, abort } = writer;
    writer.write = (text) => {
      const json = messageIn(text);
      if (json !== undefined) client.toClient(json, this.#number, 200);
      write(text);
    };
    writer.end = () => {
      client.answered();
      end();
    };
    writer.abort = () => {
      client.answered();
      abort();
    };
    return writer;
  }

  /** The client is known after the body is read. A request that is refused earlier gets a client of its own. */
  #observed(observe: ObserveClient): ObservedClient {
    if (!this.#client) this.belongsTo(observe(newClient(this.principal?.name), { door: 'http', alone: {} }));
    return this.#client!;
  }
}

const DATA = 'data: ';

/** The message in an event's text. The endpoint event of HTTP+SSE contains the session id and is not a message. */
function messageIn(text: string): string | undefined {
  const start = text.indexOf(DATA);
  const json = start < 0 || text.startsWith('event:') ? '' : text.slice(start + DATA.length, -2);
  return json === '' ? undefined : json;
}

export class NodeExchange extends HttpExchange {
  readonly method: string;
  readonly path: string;
  readonly #request: IncomingMessage & { body?: unknown };
  readonly #response: ServerResponse;
  readonly #url: string;
  readonly #mark: number;

  constructor(request: IncomingMessage, response: ServerResponse) {
    super();
    this.#request = request;
    this.#response = response;
    this.method = request.method ?? 'GET';
    this.#url = request.url ?? '/';
    this.#mark = this.#url.indexOf('?');
    this.path = this.#mark < 0 ? this.#url : this.#url.slice(0, this.#mark);
    response.on('close', () => {
      this.onclose?.(response.writableFinished);
      this.admission?.release();
    });
  }

  get isClosed(): boolean {
    return this.#response.closed;
  }

  get query(): URLSearchParams | undefined {
    return this.#mark < 0 ? undefined : new URLSearchParams(this.#url.slice(this.#mark + 1));
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  setHeader(name: string, value: string): void {
    this.#response.setHeader(name, value);
  }

  protected readBody(maxBytes: number, mayHold?: MayHold): Promise<string | undefined> {
    const request = this.#request;
    // Frameworks may have read the body already.
    if (request.body !== undefined) {
      const text = typeof request.body === 'string' ? request.body : JSON.stringify(request.body);
      return Promise.resolve(mayHold?.(text.length) === false ? undefined : text);
    }
    return new Promise((resolve, reject) => {
      const body = new BodyParts(maxBytes);
      let isRefused = false;
      request.on('data', (chunk: Buffer) => {
        if (isRefused) return; // the rest after a refused part is dropped
        if (body.add(chunk) && mayHold?.(chunk.length) !== false) return;
        isRefused = true;
        body.clear();
        resolve(undefined);
      });
      request.on('end', () => {
        if (!isRefused) resolve(decodeText(body.whole()));
      });
      request.on('close', () => {
        if (!request.complete) reject(new Error('The connection closed before the end of the request'));
      });
    });
  }

  protected respond(status: number, headers: Headers, body = ''): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    const length = Buffer.byteLength(body);
    this.admission?.answered(length);
    const list: (string | number)[] = ['content-length', length];
    if (!this.#request.complete && !this.#isShort) list.push('connection', 'close');
    for (const name in headers) list.push(name, headers[name]!);
    response.writeHead(status, list);
    response.end(body);
  }

  get #isShort(): boolean {
    return Number(this.#request.headers['content-length'] ?? Number.NaN) <= MOST_DROPPED_BYTES;
  }

  protected openStream(headers: Headers): EventWriter {
    const response = this.#response;
    response.writeHead(200, headers);
    response.flushHeaders();
    const writer: EventWriter = {
      write: (text) => {
        if (!response.writableEnded) response.write(text); // a write after the end is an uncaught error
      },
      end: () => void response.end(),
      abort: () => void response.destroy(),
      get waiting() {
        return response.writableLength;
      },
      ondrain: undefined,
    };
    response.on('drain', () => writer.ondrain?.());
    return writer;
  }
}

export class WebExchange extends HttpExchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  isClosed = false;
  /** Resolves when the response begins. */
  readonly response: Promise<Response>;
  readonly #request: Request;
  readonly #headers: Record<string, string> = {};
  #resolve!: (response: Response) => void;

  constructor(request: Request) {
    super();
    const { pathname, searchParams } = new URL(request.url);
    this.#request = request;
    this.method = request.method;
    this.path = pathname;
    this.query = searchParams;
    this.response = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    request.signal.addEventListener('abort', () => this.#closed(false), { once: true });
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined;
  }

  setHeader(name: string, value: string): void {
    this.#headers[name] = value;
  }

  protected async readBody(maxBytes: number, mayHold?: MayHold): Promise<string | undefined> {
    const reader = this.#request.body?.getReader();
    if (!reader) return '';
    const decoder = new TextDecoder();
    let text = '';
    let bytes = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      bytes += value.length;
      if (bytes > maxBytes || mayHold?.(value.length) === false) {
        await reader.cancel();
        return undefined;
      }
      text += decoder.decode(value, { stream: true });
    }
  }

  protected respond(status: number, headers: Headers, body?: string): void {
    this.#resolve(new Response(body ?? null, { status, headers: { ...this.#headers, ...headers } }));
    this.#closed(true);
  }

  protected openStream(headers: Headers): EventWriter {
    const encoder = new TextEncoder();
    let controller!: ReadableStreamDefaultController<Uint8Array>;
    let isOver = false;
    const end = (isComplete: boolean, close?: () => void) => {
      if (!isOver) close?.();
      isOver = true;
      this.#closed(isComplete);
    };
    const writer: EventWriter = {
      write: (text) => {
        if (!isOver) controller.enqueue(encoder.encode(text));
      },
      end: () => end(true, () => controller.close()),
      abort: () => end(false, () => controller.error(new Error('Another request replaced this stream'))),
      get waiting() {
        return -(controller.desiredSize ?? 0);
      },
      ondrain: undefined,
    };
    const start = (given: ReadableStreamDefaultController<Uint8Array>) => {
      controller = given;
    };
    const pull = () => writer.ondrain?.();
    const queue = new ByteLengthQueuingStrategy({ highWaterMark: 0 });
    const body = new ReadableStream<Uint8Array>({ start, pull, cancel: () => end(false) }, queue);
    this.#resolve(new Response(body, { status: 200, headers: { ...this.#headers, ...headers } }));
    return writer;
  }

  #closed(isComplete: boolean): void {
    const { onclose } = this;
    this.isClosed = true;
    this.onclose = undefined;
    onclose?.(isComplete);
    this.admission?.release();
    this.admission = undefined;
  }
}
