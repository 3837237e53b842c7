// An exchange over Web `Request` and `Response`: Hono, Deno-style handlers, serverless runtimes.

import type { Admission } from '../admission.ts';
import type { Principal } from '../principal.ts';
import type { EventWriter, HttpExchange } from './exchange.ts';

export class WebExchange implements HttpExchange {
  principal: Principal | undefined;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  admission: Admission | undefined;
  isClosed = false;
  onclose: ((isComplete: boolean) => void) | undefined;
  /** Resolves when the response begins. */
  readonly response: Promise<Response>;
  readonly #request: Request;
  readonly #headers: Record<string, string> = {};
  #respond!: (response: Response) => void;

  constructor(request: Request) {
    const { pathname, searchParams } = new URL(request.url);
    this.#request = request;
    this.method = request.method;
    this.path = pathname;
    this.query = searchParams;
    this.response = new Promise((resolve) => {
      this.#respond = resolve;
    });
    request.signal.addEventListener('abort', () => this.#closed(false), { once: true });
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined;
  }

  async text(maxBytes: number, mayHold?: (bytes: number) => boolean): Promise<string | undefined> {
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

  setHeader(name: string, value: string): void {
    this.#headers[name] = value;
  }

  answer(status: number, headers: Readonly<Record<string, string>>, body?: string): void {
    this.#respond(new Response(body ?? null, { status, headers: { ...this.#headers, ...headers } }));
    this.#closed(true);
  }

  stream(headers: Readonly<Record<string, string>>): EventWriter {
    const encoder = new TextEncoder();
    let controller!: ReadableStreamDefaultController<Uint8Array>;
    let isOver = false;
    const sink: EventWriter = {
      write: (text) => {
        if (!isOver) controller.enqueue(encoder.encode(text));
      },
      end: () => {
        if (!isOver) controller.close();
        isOver = true;
        this.#closed(true);
      },
      abort: () => {
        if (!isOver) controller.error(new Error('Another request took the place of this stream'));
        isOver = true;
        this.#closed(false);
      },
      get waiting() {
        return -(controller.desiredSize ?? 0);
      },
      ondrain: undefined,
    };
    const body = new ReadableStream<Uint8Array>(
      {
        start: (given) => {
          controller = given;
        },
        pull: () => sink.ondrain?.(),
        cancel: () => {
          isOver = true;
          this.#closed(false);
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
    );
    this.#respond(new Response(body, { status: 200, headers: { ...this.#headers, ...headers } }));
    return sink;
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
