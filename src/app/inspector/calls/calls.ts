// The calls that the page makes: started at once, followed by updates, cancelled on demand. The number of calls and the total size of
// results are bounded: the oldest calls lose their result first.

import { randomUUID } from 'node:crypto';
import { toError } from '../../../base/errors.ts';
import { isNestedTooDeeply, RawJson } from '../../../base/to-json.ts';
import type { CallHandle } from '../../../mcp/extensions/default-extensions.ts';
import { HttpProblem, problemBody } from '../../../wire/http/http-problem.ts';
import type { CallRequest, CallUpdate, ServerOffer } from '../api.ts';
import type { SourceHost } from '../sources/source.ts';
import { taskQuestions } from './questions.ts';

const MOST_CALLS = 200;
const MOST_RESULT_CHARS = 64 * 1024 * 1024;

interface Call {
  update: CallUpdate;
  abort: AbortController;
  resultChars: number;
  /** Set if the server answered with a task. */
  handle?: CallHandle;
}

type TaskState = Awaited<ReturnType<CallHandle['status']>>;

export class Calls {
  readonly #host: () => SourceHost;
  readonly #nowMs: () => number;
  readonly #changed: (update: CallUpdate) => void;
  /** Calls by id, oldest first. */
  readonly #calls = new Map<string, Call>();

  constructor(host: () => SourceHost, nowMs: () => number, changed: (update: CallUpdate) => void) {
    this.#host = host;
    this.#nowMs = nowMs;
    this.#changed = changed;
  }

  /** Returns the calls, oldest first. */
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

  /** The newest call whose task is wanted. */
  withTask(isWanted: (update: CallUpdate) => boolean): Call | undefined {
    return [...this.#calls.values()].findLast(({ update }) => update.task && isWanted(update));
  }

  get(id: string): Call | undefined {
    return this.#calls.get(id);
  }

  /**
   * Resolves to false if there is no such call. A finished call is not changed. The server decides whether it cancels a
   * task.
   */
  async cancel(id: string): Promise<boolean> {
    const call = this.#calls.get(id);
    if (call?.update.state !== 'running') return call !== undefined;
    if (call.handle) await call.handle.cancel();
    else call.abort.abort();
    return true;
  }

  cancelAll(): void {
    for (const { abort, handle, update } of this.#calls.values()) {
      if (update.state === 'running') void handle?.cancel().catch(() => undefined); // the host is closing
      abort.abort();
    }
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
      const isCancelled = call.abort.signal.aborted || call.update.task?.status === 'cancelled';
      over(isCancelled ? { state: 'cancelled' } : { state: 'failed', ...problemBody(error) });
    }
  }

  async #send(call: Call) {
    const { server, request } = call.update;
    const found = this.#host().find(server);
    const client = found.host.client(found.name);
    const settings = {
      signal: call.abort.signal,
      onProgress: ({ progress, total, message }: NonNullable<CallUpdate['progress']>) => {
        // The message of a task is part of its state.
        if (call.update.state === 'running' && !call.handle)
          this.#put(call, { progress: { progress, total, message } });
      },
    };
    switch (request.kind) {
      case 'tool': {
        const options = { ...settings, timeoutMs: request.timeoutMs, task: 'handle' } as const;
        const handle = await client.callTool(request.name, argumentsOf(request, found.sendsRawJson), options);
        if (handle.taskId !== '') call.handle = handle;
        const onState = (state: TaskState) => call.handle && this.#state(call, state);
        return handle.result({ signal: call.abort.signal, onState });
      }
      case 'resource':
        return client.readResource(request.uri, settings);
      case 'prompt':
        return client.getPrompt(request.name, request.args, settings);
    }
  }

  #state(call: Call, { taskId, status, statusMessage, inputRequests }: TaskState): void {
    const { id, server } = call.update;
    const questions = taskQuestions(id, server, inputRequests);
    this.#put(call, { task: { taskId, status, statusMessage, questions }, progress: undefined });
  }

  /** Replaces the update by a new object, because an update that waits to be sent must not change. */
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

/** Lists of one server. Unreadable parts are left out and reported in `error`. */
export async function readOffer(host: SourceHost, server: string): Promise<ServerOffer> {
  const errors: string[] = [];
  const tried = async <T>(ask: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      const result = await ask();
      if (!isNestedTooDeeply(result)) return result;
      errors.push('A part of the result is nested too deeply to be shown');
      return otherwise;
    } catch (error) {
      errors.push(toError(error).message);
      return otherwise;
    }
  };
  const found = host.find(server);
  const client = found.host.client(found.name);
  const [{ tools }, { resources }, { resourceTemplates }, { prompts }, { instructions }] = await Promise.all([
    tried(() => client.listTools(), { tools: [] }),
    tried(() => client.listResources(), { resources: [] }),
    tried(() => client.listResourceTemplates(), { resourceTemplates: [] }),
    tried(() => client.listPrompts(), { prompts: [] }),
    tried<{ instructions?: string | undefined }>(async () => client.service.describe(), {}),
  ]);
  // These requests may have started the server: its revision is known only now.
  const status = (await host.status()).find(({ name }) => name === server);
  return {
    tools,
    resources,
    resourceTemplates,
    prompts,
    instructions,
    revision: status?.revision ?? 'unknown',
    error: [...new Set(errors)].join('; ') || undefined,
  };
}
