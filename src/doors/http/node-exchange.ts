// An exchange of Node's `http`, which Express and Fastify pass on too.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../principal.ts';
import type { EventSink, HttpExchange } from './exchange.ts';

export class NodeExchange implements HttpExchange {
  principal: Principal | undefined;
  readonly method: string;
  readonly path: string;
  onclose: ((isComplete: boolean) => void) | undefined;
  readonly #request: IncomingMessage & { body?: unknown };
  readonly #response: ServerResponse;
  readonly #search: string;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#request = request;
    this.#response = response;
    this.method = request.method ?? 'GET';
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.#search = mark < 0 ? '' : url.slice(mark + 1);
    response.once('close', () => this.onclose?.(response.writableFinished));
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.#search);
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  async text(maxBytes: number): Promise<string | undefined> {
    const { body } = this.#request;
    // A framework has read it already.
    if (body !== undefined) return typeof body === 'string' ? body : JSON.stringify(body);
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of this.#request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) return undefined;
      chunks.push(chunk);
    }
    return (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString();
  }

  answer(status: number, headers: Readonly<Record<string, string>>, body = ''): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    // A body that was not read to its end cannot be followed by another request.
    const close = this.#request.complete ? undefined : { connection: 'close' };
    response.writeHead(status, { ...headers, ...close, 'content-length': String(Buffer.byteLength(body)) });
    response.end(body);
  }

  stream(headers: Readonly<Record<string, string>>): EventSink {
    const response = this.#response;
    response.writeHead(200, headers);
    response.flushHeaders();
    const sink: EventSink = {
      write: (text) => void response.write(text),
      end: () => void response.end(),
      get waiting() {
        return response.writableLength;
      },
      ondrain: undefined,
    };
    response.on('drain', () => sink.ondrain?.());
    return sink;
  }
}
