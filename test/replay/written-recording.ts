// Recordings written line by line, for tests of what a recording may contain.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientOf } from '../../src/entry/client.ts';
import type { ClientOptions } from '../../src/mcp/client/options.ts';
import { type ReplayOptions, type ReplayService, replay } from '../../src/observe/replay/replay-service.ts';
import { later } from '../fixtures/later.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

export const folder = temporaryFolder('replay');
let files = 0;

type Message = object | string;

interface Where {
  server?: string;
  life?: number;
  run?: string;
  /** Number of the HTTP request. */
  exchange?: number;
  /** Members of the line. */
  [member: string]: unknown;
}

export class WrittenRecording {
  readonly lines: string[] = [];
  #seq = 0;
  #atMs = 0;
  readonly #default: Where;

  constructor(where: Where = {}) {
    this.#default = { server: 'recorded', life: 1, run: 'a', ...where };
    const { run } = this.#default;
    this.lines.push(JSON.stringify({ standpipe: 'recording', version: 1, run, startedAt: new Date(0), about: {} }));
  }

  line(members: object): this {
    const stamp = { ...this.#default, seq: ++this.#seq, atMs: ++this.#atMs };
    this.lines.push(JSON.stringify({ ...stamp, ...members }));
    return this;
  }

  frame(direction: 'toServer' | 'fromServer', message: Message, where: Where = {}): this {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    return this.line({ kind: 'frame', direction, length: Buffer.byteLength(text), text, ...where });
  }

  /** From the host to the server. */
  sent(message: Message, where?: Where): this {
    return this.frame('toServer', message, where);
  }

  /** From the server to the host. */
  came(message: Message, where?: Where): this {
    return this.frame('fromServer', message, where);
  }

  request(id: unknown, method: string, params?: object, where?: Where): this {
    return this.sent({ jsonrpc: '2.0', id, method, params }, where);
  }

  result(id: unknown, result: object, where?: Where): this {
    return this.came({ jsonrpc: '2.0', id, result }, where);
  }

  call(id: unknown, name: string, args: object = {}, where?: Where): this {
    return this.request(id, 'tools/call', { name, arguments: args }, where);
  }

  /** The answer to a call. */
  text(id: unknown, text: string, where?: Where): this {
    return this.result(id, { content: [{ type: 'text', text }] }, where);
  }

  notify(method: string, params?: object, where?: Where): this {
    return this.came({ jsonrpc: '2.0', method, params }, where);
  }

  cancel(requestId: unknown): this {
    return this.sent({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  }

  stderr(text: string, where: Where = {}): this {
    return this.line({ kind: 'stderr', length: text.length, text, ...where });
  }

  exit(exitCode: number | null, signal: string | null = null, where: Where = {}): this {
    return this.line({ kind: 'exit', exitCode, signal, ...where });
  }

  /** The time passes between the lines. */
  later(ms: number): this {
    this.#atMs += ms;
    return this;
  }

  initialize(capabilities: object = { tools: {}, logging: {} }, where?: Where): this {
    const serverInfo = { name: 'was-recorded', version: '3' };
    this.request('init', 'initialize', { protocolVersion: '2025-11-25' }, where);
    return this.result('init', { protocolVersion: '2025-11-25', capabilities, serverInfo }, where);
  }

  write(): string {
    const file = join(folder, `${++files}.jsonl`);
    writeFileSync(file, `${this.lines.join('\n')}\n`);
    return file;
  }

  replay(options?: ReplayOptions): ReplayService {
    return replayed(this.write(), options);
  }

  client(options?: ReplayOptions, clientOptions?: ClientOptions) {
    return clientOf(this.replay(options), { checkOutput: false, ...clientOptions });
  }
}

export function replayed(file: string, options?: ReplayOptions): ReplayService {
  const service = replay(file, options);
  later(() => service.close());
  return service;
}

/** Writes a recording with the conversation of a server that answered `tools/call` with these texts, in this order. */
export function recorded(...texts: string[]): WrittenRecording {
  const recording = new WrittenRecording().initialize();
  for (const [id, text] of texts.entries()) recording.call(id, 'tool').text(id, text);
  return recording;
}

export function textOf({ content }: { content: { type: string }[] }): string {
  return content.map((block) => (block as { text?: string }).text ?? block.type).join();
}
