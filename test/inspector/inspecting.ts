// Starts hosts and Inspectors for tests, and sends requests as a page or as another program would.

import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { devNull } from 'node:os';
import { ServerSecrets } from '../../src/app/cli/servers/show-traffic.ts';
import type { ApiProblem, LiveMessages, Problem } from '../../src/app/inspector/api.ts';
import { inspectorInputs, type Questions } from '../../src/app/inspector/calls/questions.ts';
import { type Inspector, startInspector } from '../../src/app/inspector/server.ts';
import type { InspectorSource } from '../../src/app/inspector/sources/source.ts';
import { hostSource } from '../../src/app/inspector/sources/source.ts';
import type { ServerConfig } from '../../src/config/server-config.ts';
import { Host } from '../../src/host/host.ts';
import { later } from '../fixtures/later.ts';
import { serverConfig } from '../fixtures/server-config.ts';

/** The kinds of problems, without slow starts, which a busy machine causes. */
export function kindsOf(problems: readonly Problem[]): string[] {
  return problems.map(({ kind }) => kind).filter((kind) => kind !== 'slow-start');
}

/** These servers need a file to write to. */
const logged = (script: string) => ({ args: [`test/fixtures/mcp-client/${script}`, devNull] });
export const legacy = (name = 'legacy') => serverConfig(name, '', logged('legacy.mjs'));
export const modern = (name = 'modern') => serverConfig(name, '', logged('modern.mjs'));

export interface Inspected extends Page {
  host: Host;
  questions: Questions;
}

export async function inspectHost(
  servers: ServerConfig[],
  options: { graceMs?: number; needsPage?: boolean; uiFolder?: string } = {},
): Promise<Inspected> {
  const questions = inspectorInputs({ graceMs: options.graceMs, needsPage: options.needsPage === true });
  const host = new Host(servers, { inputs: questions.inputs });
  later(() => host.stop());
  await host.start();
  return Object.assign(
    await openPage(hostSource(host, { questions, redact: new ServerSecrets(servers).redact }), options.uiFolder),
    { host, questions },
  );
}

export async function openPage(source: InspectorSource, uiFolder?: string): Promise<Page> {
  const inspector = await startInspector(source, { port: 0, uiFolder });
  later(() => inspector.close());
  return new Page(inspector);
}

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** The API as the page uses it. */
export class Page {
  readonly inspector: Inspector;

  constructor(inspector: Inspector) {
    this.inspector = inspector;
  }

  async get<T>(path: string): Promise<T> {
    return this.#json(await fetch(this.#url(path), { headers: this.#headers() }));
  }

  async post<T = unknown>(path: string, body: unknown): Promise<T> {
    const headers = { ...this.#headers(), 'content-type': 'application/json' };
    return this.#json(await fetch(this.#url(path), { method: 'POST', headers, body: JSON.stringify(body) }));
  }

  async delete<T = unknown>(path: string): Promise<T> {
    return this.#json(await fetch(this.#url(path), { method: 'DELETE', headers: this.#headers() }));
  }

  async live(query = ''): Promise<Live> {
    const abort = new AbortController();
    const url = `${this.#url('live')}?token=${this.inspector.token}&${query}`;
    const response = await fetch(url, { signal: abort.signal });
    const live = new Live(response, abort);
    later(async () => live.leave());
    return live;
  }

  /** Sends any request, with unchanged path and headers. */
  raw(path: string, headers: Record<string, string> = {}, method = 'GET', body?: string | Buffer): Promise<RawAnswer> {
    const { port } = this.inspector;
    return new Promise((resolve, reject) => {
      const request = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
        response.on('error', reject);
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  #url(path: string): string {
    return `http://127.0.0.1:${this.inspector.port}/api/${path}`;
  }

  #headers(): Record<string, string> {
    return { 'x-standpipe-token': this.inspector.token };
  }

  async #json<T>(response: Response): Promise<T> {
    const value = (await response.json()) as never;
    if (!response.ok) throw new Error(`${response.status} ${(value as ApiProblem).error.message}`);
    return value;
  }
}

type Message = { [K in keyof LiveMessages]: { name: K; data: LiveMessages[K] } }[keyof LiveMessages];

/** A stream of server-sent events, read as it arrives. */
export class Live {
  readonly messages: (Message | { name: 'resync'; data: unknown })[] = [];
  ended = false;
  readonly #abort: AbortController;

  constructor(response: Response, abort: AbortController) {
    this.#abort = abort;
    void this.#read(response);
  }

  all<K extends keyof LiveMessages>(name: K): LiveMessages[K][] {
    return this.messages.filter((message) => message.name === name).map(({ data }) => data as LiveMessages[K]);
  }

  get rows() {
    return this.all('rows').flat();
  }

  leave(): void {
    this.#abort.abort();
  }

  async #read(response: Response): Promise<void> {
    let text = '';
    try {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        const parts = text.split('\n\n');
        text = parts.pop()!;
        for (const part of parts) this.#take(part);
      }
    } catch {
      // The test or the server closed the stream.
    }
    this.ended = true;
  }

  #take(part: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1];
    const name = field('event');
    if (name) this.messages.push({ name, data: JSON.parse(field('data')!) } as Message);
  }
}
