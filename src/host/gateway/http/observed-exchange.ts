// An exchange that reports its texts to an observer: the body, and each message of the response with its status. Headers are excluded,
// since they carry tokens and session ids. The client is known only after the body is read; requests refused earlier belong to an unnamed
// client.

import type { ObserveClient, ObservedClient } from '../../../mcp/adapter/client-observer.ts';
import { newClient } from '../../../mcp/service.ts';
import type { Admission } from '../admission.ts';
import type { Principal } from '../principal.ts';
import type { EventWriter, HttpExchange } from './exchange.ts';

export class ObservedExchange implements HttpExchange {
  readonly method: string;
  readonly path: string;
  readonly #exchange: HttpExchange;
  readonly #observe: ObserveClient;
  #body: string | undefined;
  #client: ObservedClient | undefined;
  #number = 0;

  constructor(exchange: HttpExchange, observe: ObserveClient) {
    this.#exchange = exchange;
    this.#observe = observe;
    this.method = exchange.method;
    this.path = exchange.path;
  }

  get principal(): Principal | undefined {
    return this.#exchange.principal;
  }

  get query(): HttpExchange['query'] {
    return this.#exchange.query;
  }

  get admission(): Admission | undefined {
    return this.#exchange.admission;
  }

  set admission(admission: Admission | undefined) {
    this.#exchange.admission = admission;
  }

  get isClosed(): boolean {
    return this.#exchange.isClosed;
  }

  get onclose(): HttpExchange['onclose'] {
    return this.#exchange.onclose;
  }

  set onclose(listener: HttpExchange['onclose']) {
    this.#exchange.onclose = listener;
  }

  header(name: string): string | undefined {
    return this.#exchange.header(name);
  }

  setHeader(...header: Parameters<HttpExchange['setHeader']>): void {
    this.#exchange.setHeader(...header);
  }

  text(maxBytes: number, mayHold?: (bytes: number) => boolean): Promise<string | undefined> {
    return this.#exchange.text(maxBytes, mayHold).then(this.#came);
  }

  readonly #came = (body: string | undefined): string | undefined => {
    this.#body = body;
    return body;
  };

  /** Called once, before the request has any effect. */
  belongsTo(client: ObservedClient | undefined): void {
    if (!client) return;
    this.#client = client;
    this.#number = client.nextExchange();
    if (this.#body !== undefined) client.fromClient(this.#body, this.#number);
    this.#body = undefined;
  }

  answer(status: number, headers: Readonly<Record<string, string>>, body?: string): void {
    if (body) this.#known.toClient(body, this.#number, status);
    this.#client?.answered();
    this.#exchange.answer(status, headers, body);
  }

  stream(headers: Readonly<Record<string, string>>): EventWriter {
    const sink = this.#exchange.stream(headers);
    const client = this.#known;
    const number = this.#number;
    return {
      write(text) {
        const json = messageIn(text);
        if (json !== undefined) client.toClient(json, number, 200);
        sink.write(text);
      },
      end() {
        client.answered();
        sink.end();
      },
      abort() {
        client.answered();
        sink.abort();
      },
      get waiting() {
        return sink.waiting;
      },
      get ondrain() {
        return sink.ondrain;
      },
      set ondrain(listener) {
        sink.ondrain = listener;
      },
    };
  }

  get #known(): ObservedClient {
    if (!this.#client) this.belongsTo(this.#observe(newClient(this.principal?.name), { door: 'http', alone: {} }));
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
