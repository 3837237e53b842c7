// The calls that the page makes: started at once, followed by updates, cancelled on demand. The number of calls and the total size of
// results are bounded: the oldest calls lose their result first.

import { randomUUID } from 'node:crypto';
import { RpcCode, RpcError, toError } from '../../../base/errors.ts';
import { isNestedTooDeeply, RawJson } from '../../../base/to-json.ts';
import type { CallHandle } from '../../../mcp/extensions/default-extensions.ts';
import type { ServiceFacts } from '../../../mcp/service.ts';
import type { Exchange } from '../../../observe/analysis/exchange.ts';
import { HttpProblem, problemBody } from '../../../wire/http/http-problem.ts';
import type { CallRequest, CallResult, CallUpdate, ServerOffer } from '../api.ts';
import type { SourceHost } from '../sources/source.ts';
import { serverExchanges } from '../views/call-frames.ts';
import type { InspectorView } from '../views/view.ts';
import { newWork, type OwnWork } from './own-requests.ts';
import { taskQuestions } from './questions.ts';

const MOST_CALLS = 200;
/** The events of a host in another process may arrive after its answer. */
const FRAMES_MS = 1_000;
const MOST_RESULT_CHARS = 64 * 1024 * 1024;

interface Call {
  update: CallUpdate;
  abort: AbortController;
  resultChars: number;
  /** Set if the server answered with a task. */
  handle?: CallHandle;
  work: OwnWork;
}

type TaskState = Awaited<ReturnType<CallHandle['status']>>;

export class Calls {
  readonly #host: () => SourceHost;
  readonly #nowMs: () => number;
  readonly #changed: (update: CallUpdate) => void;
  readonly #view: InspectorView;
  /** Calls by id, oldest first. */
  readonly #calls = new Map<string, Call>();

  constructor(view: InspectorView, host: () => SourceHost, nowMs: () => number, changed: (update: CallUpdate) => void) {
    this.#view = view;
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
    const call: Call = { update, abort: new AbortController(), resultChars: 0, work: newWork('page') };
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
    let durationMs: number | undefined;
    const over = (end: Partial<CallUpdate>) => this.#put(call, { ...end, durationMs, progress: undefined });
    try {
      const result: CallResult = await this.#send(call);
      durationMs = performance.now() - startedMs;
      if (isNestedTooDeeply(result))
        throw new HttpProblem(502, 'The result is nested too deeply to be shown here: see it on the wire');
      call.resultChars = JSON.stringify(result)?.length ?? 0;
      over({ state: 'done', result, ...(await this.#framesOf(call)) });
      this.#forgetResults();
    } catch (error) {
      durationMs ??= performance.now() - startedMs;
      const isCancelled = call.abort.signal.aborted || call.update.task?.status === 'cancelled';
      const frames = await this.#framesOf(call);
      over({ ...frames, ...(isCancelled ? { state: 'cancelled' } : { state: 'failed', ...failureOf(error) }) });
    }
  }

  /** The frames of the call, and what is wrong with its answer. */
  async #framesOf({ work }: Call): Promise<Partial<CallUpdate>> {
    await this.#view.caughtUp();
    await this.#view.until(() => work.sent === 0 || isSettled(serverExchanges(work.exchanges)), FRAMES_MS);
    const exchange = serverExchanges(work.exchanges).at(-1);
    if (!exchange) return {};
    const { requestSeq, answerSeq } = exchange;
    const answer = answerSeq === undefined ? undefined : this.#view.source.flow.get(answerSeq);
    const violations = answer ? await this.#view.problemsOf(answer) : [];
    return { requestSeq, answerSeq, ...(violations.length > 0 && { violations }) };
  }

  async #send(call: Call) {
    const { server, request } = call.update;
    const found = this.#host().find(server);
    const client = found.host.client(found.name);
    const settings = {
      signal: call.abort.signal,
      link: this.#view.own.linkOf(call.work),
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
      case 'request':
        return client.request(request.method, paramsOf(request, found.sendsRawJson), settings);
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

function isSettled(exchanges: readonly Exchange[]): boolean {
  return exchanges.length > 0 && exchanges.every(({ outcome }) => outcome !== 'pending');
}

/** Arguments that JSON.parse would change are sent as text, or refused. */
function argumentsOf(
  { args, argsText }: CallRequest & { kind: 'tool' },
  sendsRawJson: boolean,
): Record<string, unknown> {
  if (argsText === undefined) return args;
  if (sendsRawJson) return new RawJson(argsText) as unknown as Record<string, unknown>;
  throw notAsWritten();
}

/** Members whose text JSON.parse would change are sent as text, or refused. */
function paramsOf(
  { params, texts = {} }: CallRequest & { kind: 'request' },
  sendsRawJson: boolean,
): Record<string, unknown> {
  if (Object.keys(texts).length === 0) return { ...params };
  if (!sendsRawJson) throw notAsWritten();
  const raw = Object.entries(texts).map(([name, text]) => [name, new RawJson(text)] as const);
  return { ...params, ...Object.fromEntries(raw) };
}

function notAsWritten(): HttpProblem {
  return new HttpProblem(
    409,
    'The arguments have a number that would be rounded, or a duplicate key. They can be sent as written only to MCP servers of the Inspector’s own host.',
  );
}

function failureOf(error: unknown): Pick<CallUpdate, 'error'> {
  const { error: described } = problemBody(error);
  if (!(error instanceof RpcError)) return { error: described };
  const data = isNestedTooDeeply(error.data) ? undefined : error.data;
  return { error: { ...described, rpcCode: error.rpcCode, ...(data !== undefined && { data }) } };
}

/** Lists of one server. Unreadable parts are left out and reported in `error`. */
export async function readOffer(view: InspectorView, host: SourceHost, server: string): Promise<ServerOffer> {
  const errors: string[] = [];
  const tried = async <T>(ask: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      const result = await ask();
      if (!isNestedTooDeeply(result)) return result;
      errors.push('A part of the result is nested too deeply to be shown');
      return otherwise;
    } catch (error) {
      if (!isMissingMethod(error)) errors.push(toError(error).message);
      return otherwise;
    }
  };
  const found = host.find(server);
  const client = found.host.client(found.name);
  const options = { link: view.own.linkOf(newWork('lists')) };
  const [{ tools }, { resources }, { resourceTemplates }, { prompts }, described] = await Promise.all([
    tried(() => client.listTools(options), { tools: [] }),
    tried(() => client.listResources(options), { resources: [] }),
    tried(() => client.listResourceTemplates(options), { resourceTemplates: [] }),
    tried(() => client.listPrompts(options), { prompts: [] }),
    tried<Partial<ServiceFacts>>(async () => client.service.describe(), {}),
  ]);
  // These requests may have started the server: its revision is known only now.
  const status = (await host.status()).find(({ name }) => name === server);
  return {
    tools,
    resources,
    resourceTemplates,
    prompts,
    instructions: described.instructions,
    info: described.info,
    capabilities: described.capabilities,
    revision: status?.revision ?? 'unknown',
    error: [...new Set(errors)].join('; ') || undefined,
  };
}

/** A server that declares resources need not have templates. */
function isMissingMethod(error: unknown): boolean {
  return error instanceof RpcError && error.rpcCode === RpcCode.methodNotFound;
}
