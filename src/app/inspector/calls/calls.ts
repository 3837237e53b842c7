// The calls that the page makes: started at once, followed by updates, cancelled on demand. The number of calls and the total size of
// results are bounded: the oldest calls lose their result first.

import { randomUUID } from 'node:crypto';
import { isNestedTooDeeply } from '../../../base/nesting.ts';
import { RawJson } from '../../../base/raw-json.ts';
import { HttpProblem, problemBody } from '../../../wire/http/http-problem.ts';
import type { CallRequest, CallUpdate } from '../api.ts';
import type { SourceHost } from '../sources/source.ts';

const MOST_CALLS = 200;
const MOST_RESULT_CHARS = 64 * 1024 * 1024;

interface Call {
  update: CallUpdate;
  abort: AbortController;
  resultChars: number;
}

export class Calls {
  readonly #host: () => SourceHost;
  readonly #nowMs: () => number;
  readonly #changed: (update: CallUpdate) => void;
  /** Oldest first. */
  readonly #calls = new Map<string, Call>();

  constructor(host: () => SourceHost, nowMs: () => number, changed: (update: CallUpdate) => void) {
    this.#host = host;
    this.#nowMs = nowMs;
    this.#changed = changed;
  }

  /** Oldest first. */
  list(): CallUpdate[] {
    return [...this.#calls.values()].map(({ update }) => update);
  }

  start(server: string, request: CallRequest): string {
    this.#makeRoom();
    const id = randomUUID();
    const update: CallUpdate = { id, server, request, startedAtMs: this.#nowMs(), state: 'running' };
    const call: Call = { update, abort: new AbortController(), resultChars: 0 };
    this.#calls.set(id, call);
    this.#changed(update);
    void this.#run(call);
    return id;
  }

  /** False if there is no such call. A finished call is not changed. */
  cancel(id: string): boolean {
    const call = this.#calls.get(id);
    if (call?.update.state === 'running') call.abort.abort();
    return call !== undefined;
  }

  cancelAll(): void {
    for (const { abort } of this.#calls.values()) abort.abort();
  }

  async #run(call: Call): Promise<void> {
    const startedMs = performance.now();
    const over = (end: Partial<CallUpdate>) =>
      this.#put(call, { ...end, durationMs: performance.now() - startedMs, progress: undefined });
    try {
      const result = await this.#send(call);
      if (isNestedTooDeeply(result))
        throw new HttpProblem(502, 'The result is nested too deeply to be shown here: see it on the wire');
      call.resultChars = JSON.stringify(result)?.length ?? 0;
      over({ state: 'done', result });
      this.#forgetResults();
    } catch (error) {
      over(call.abort.signal.aborted ? { state: 'cancelled' } : { state: 'failed', ...problemBody(error) });
    }
  }

  async #send(call: Call) {
    const { server, request } = call.update;
    const found = this.#host().find(server);
    const client = found.host.client(found.name);
    const settings = {
      signal: call.abort.signal,
      onProgress: ({ progress, total, message }: NonNullable<CallUpdate['progress']>) => {
        if (call.update.state === 'running') this.#put(call, { progress: { progress, total, message } });
      },
    };
    switch (request.kind) {
      case 'tool':
        return client.callTool(request.name, argumentsOf(request, found.sendsRawJson), {
          ...settings,
          timeoutMs: request.timeoutMs,
        });
      case 'resource':
        return client.readResource(request.uri, settings);
      case 'prompt':
        return client.getPrompt(request.name, request.args, settings);
    }
  }

  /** Creates a new object each time: an update that waits to be sent must not change. */
  #put(call: Call, change: Partial<CallUpdate>): void {
    call.update = { ...call.update, ...change };
    this.#changed(call.update);
  }

  #makeRoom(): void {
    if (this.#calls.size < MOST_CALLS) return;
    const over = [...this.#calls.values()].find(({ update }) => update.state !== 'running');
    if (!over) throw new HttpProblem(429, `${MOST_CALLS} calls are running already`);
    this.#calls.delete(over.update.id);
  }

  #forgetResults(): void {
    const newestFirst = [...this.#calls.values()].reverse();
    let chars = 0;
    for (const call of newestFirst) {
      chars += call.resultChars;
      if (chars <= MOST_RESULT_CHARS || call === newestFirst[0]) continue;
      call.resultChars = 0;
      call.update = { ...call.update, result: undefined };
    }
  }
}

/** Arguments that JSON.parse would change are sent as text, or refused. */
function argumentsOf(
  { args, argsText }: CallRequest & { kind: 'tool' },
  sendsRawJson: boolean,
): Record<string, unknown> {
  if (argsText === undefined) return args;
  if (sendsRawJson) return new RawJson(argsText) as unknown as Record<string, unknown>;
  throw new HttpProblem(
    409,
    'The arguments have a number that would be rounded, or a duplicate key. They can be sent as written only to MCP servers of the Inspector’s own host.',
  );
}
