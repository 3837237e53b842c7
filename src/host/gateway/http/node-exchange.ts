// An exchange over `http` of Node.js, which Express and Fastify also provide.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { BodyParts } from '../../../base/body-parts.ts';
import { decodeText } from '../../../base/decode-text.ts';
import type { Admission } from '../admission.ts';
import type { Principal } from '../principal.ts';
import type { EventWriter, HttpExchange } from './exchange.ts';

const MOST_DROPPED_BYTES = 64 * 1024;

export class NodeExchange implements HttpExchange {
  principal: Principal | undefined;
  readonly method: string;
  readonly path: string;
  admission: Admission | undefined;
  onclose: ((isComplete: boolean) => void) | undefined;
  readonly #request: IncomingMessage & { body?: unknown };
  readonly #response: ServerResponse;
  readonly #url: string;
  readonly #mark: number;

  constructor(request: IncomingMessage, response: ServerResponse) {
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

  text(maxBytes: number, mayHold?: (bytes: number) => boolean): Promise<string | undefined> {
    const request = this.#request;
    const { body } = request;
    // A framework has already read the body.
    if (body !== undefined) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return Promise.resolve(mayHold?.(text.length) === false ? undefined : text);
    }
    return new Promise((resolve, reject) => {
      const body = new BodyParts(maxBytes);
      let isRefused = false;
      request.on('data', (chunk: Buffer) => {
        if (isRefused) return; // drop the rest after a refused part
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

  setHeader(name: string, value: string): void {
    this.#response.setHeader(name, value);
  }

  answer(status: number, headers: Readonly<Record<string, string>>, body = ''): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    const length = Buffer.byteLength(body);
    this.admission?.answered(length);
    // A short rest of the body is read and discarded; for a long one, the connection is closed.
    const list: (string | number)[] = ['content-length', length];
    if (!this.#request.complete && !this.#isShort) list.push('connection', 'close');
    for (const name in headers) list.push(name, headers[name]!);
    response.writeHead(status, list);
    response.end(body);
  }

  get #isShort(): boolean {
    return Number(this.#request.headers['content-length'] ?? Number.NaN) <= MOST_DROPPED_BYTES;
  }

  stream(headers: Readonly<Record<string, string>>): EventWriter {
    const response = this.#response;
    response.writeHead(200, headers);
    response.flushHeaders();
    const sink: EventWriter = {
      write: (text) => void response.write(text),
      end: () => void response.end(),
      abort: () => void response.destroy(),
      get waiting() {
        return response.writableLength;
      },
      ondrain: undefined,
    };
    response.on('drain', () => sink.ondrain?.());
    return sink;
  }
}
