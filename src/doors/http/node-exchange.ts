// An exchange of Node's `http`, which Express and Fastify pass on too.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Ticket } from '../limits.ts';
import type { Principal } from '../principal.ts';
import type { EventSink, HttpExchange } from './exchange.ts';

const MOST_DROPPED_BYTES = 64 * 1024;

export class NodeExchange implements HttpExchange {
  principal: Principal | undefined;
  readonly method: string;
  readonly path: string;
  ticket: Ticket | undefined;
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
    response.once('close', () => {
      this.onclose?.(response.writableFinished);
      this.ticket?.release();
    });
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.#search);
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  async text(maxBytes: number, mayHold?: (bytes: number) => boolean): Promise<string | undefined> {
    const { body } = this.#request;
    // A framework has read it already.
    if (body !== undefined) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return mayHold?.(text.length) === false ? undefined : text;
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of this.#request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes || mayHold?.(chunk.length) === false) return undefined;
      chunks.push(chunk);
    }
    return (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString();
  }

  answer(status: number, headers: Readonly<Record<string, string>>, body = ''): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    const length = Buffer.byteLength(body);
    this.ticket?.answered(length);
    // A short rest of the body is read and dropped, a long one is not.
    const close = this.#request.complete || this.#isShort ? undefined : { connection: 'close' };
    response.writeHead(status, { ...headers, ...close, 'content-length': String(length) });
    response.end(body);
  }

  get #isShort(): boolean {
    return Number(this.#request.headers['content-length'] ?? Number.NaN) <= MOST_DROPPED_BYTES;
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
