// A recorded server as a service. It answers requests as the recorded server did, with the progress, logs, questions, notifications and
// stderr of the recording, to clients of every revision.

import { type Clock, systemClock } from '../../base/clock.ts';
import { PeerError, RpcCode, RpcError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { pause } from '../../base/wait.ts';
import { declaresTasks, wantsTask, withoutTasks } from '../../mcp/extensions/tasks/wire-forms.ts';
import { changedFacts } from '../../mcp/layers/layer.ts';
import { type ListFacts, methodsOfMcp } from '../../mcp/methods.ts';
import { isModernRevision } from '../../mcp/revisions.ts';
import type { Caller, ClientFacts, Params, Result, Service, ServiceFacts, Watcher } from '../../mcp/service.ts';
import type { InputRequest } from '../../mcp/types.ts';
import { Watchers } from '../../mcp/watchers.ts';
import { faultLayer, parseFault, unanswered } from './faults.ts';
import type { Happening, RecordedExchange, RecordedExit } from './recorded-exchange.ts';
import type { RecordedFacts } from './recorded-facts.ts';
import { RecordedSession, type SessionOptions } from './recorded-session.ts';
import { cut, nameOf, RequestMatcher } from './request-matcher.ts';

export interface ReplayOptions extends SessionOptions {
  /** Requests must come in the recorded order. */
  strict?: boolean | undefined;
  /** `fast` (default): without delays. `recorded`: with the recorded ones. A number divides them: 2 is twice as fast. */
  pace?: 'recorded' | 'fast' | number | undefined;
  /** Failures on demand: `tools/call search: delay 5s`. */
  faults?: readonly string[] | undefined;
  /** Answers requests that the recording does not have. Default: they fail, and a list has the entries that were used. */
  otherwise?: Service['request'] | undefined;
  /** Gets the recorded stderr. */
  onStderr?: ((text: string) => unknown) | undefined;
  /** Gets recorded output of the server that was not a message, without its newline; also that of the fault `garbage`. */
  onNoise?: ((text: string) => unknown) | undefined;
  /**
   * Called where the recorded process ended before it answered, and by the faults `exit` and `drop`. The request is then not answered.
   * Without this function it fails with OUTCOME_UNKNOWN or CONNECTION_CLOSED. The exit is undefined if only the connection was lost.
   */
  onExit?: ((exit: RecordedExit | undefined) => void) | undefined;
  clock?: Clock | undefined;
}

/** Returns at once; a file that cannot be used makes every request fail with the reason. */
export function replay(file: string, options: ReplayOptions = {}): ReplayService {
  return new ReplayService(file, options);
}

export class ReplayService implements Service {
  /** @internal */
  readonly session: RecordedSession;
  readonly describe: Service['describe'];
  readonly request: Service['request'];
  #options: ReplayOptions;
  readonly #clock: Clock;
  readonly #matcher: RequestMatcher;
  readonly #watchers = new Watchers(() => undefined);
  readonly #ended = new Set<RecordedExchange>();
  /** Functions that end the current waits before recorded events. */
  readonly #waits = new Set<() => void>();
  readonly #announcing = new Set<Promise<void>>();
  #isClosed = false;
  #facts: Promise<RecordedFacts> | undefined;

  /** @internal */
  constructor(file: string, options: ReplayOptions) {
    const { clock = systemClock, faults = [], strict = false, onExit, onNoise } = options;
    const effects = {
      exit: onExit && ((exitCode: number) => onExit({ exitCode, signal: null })),
      garbage: onNoise && (() => onNoise('this is not a message')),
    };
    this.request = faultLayer(faults.map(parseFault), clock, effects)((...request) => this.#request(...request));
    this.#options = options;
    this.#clock = clock;
    this.session = RecordedSession.open(file, options);
    this.#matcher = new RequestMatcher(this.session, strict);
    const recorded: Pick<Service, 'describe'> = { describe: () => this.#begin() };
    this.describe = changedFacts(recorded as Service, (client, facts) =>
      client && !hasFormOf(client, facts) ? withoutTasks : undefined,
    );
  }

  /** Notifications of clients have no effect on the replay. */
  notify(): void {
    return undefined;
  }

  async watch(watcher: Watcher): Promise<() => void> {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Replays the events after the answers without further delays. Resolves when all of them were replayed. */
  async finish(): Promise<void> {
    this.#options = { ...this.#options, pace: 'fast' };
    for (const end of this.#waits) end();
    await Promise.all(this.#announcing);
  }

  /** Closes the file. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.session.close();
  }

  /** Called at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #request(method: string, params: Params, caller: Caller): Promise<Result> {
    await this.#begin();
    const exchange = await this.#matcher.find(method, params);
    if (!exchange) return this.#otherwise(method, params, caller);
    await this.session.settled(exchange);
    await this.#play(exchange, caller);
    const result = await this.#answer(exchange, params, caller);
    this.#after(exchange);
    return result;
  }

  #begin(): Promise<RecordedFacts> {
    this.#facts ??= this.#open();
    return this.#facts;
  }

  async #open(): Promise<RecordedFacts> {
    const { opening, before } = await this.session.opening();
    if ('facts' in opening) {
      this.#announce(before, before[0]?.atMs ?? 0);
      return opening.facts;
    }
    await this.#announceAll(before, before[0]?.atMs ?? 0);
    if ('refusal' in opening) resultOf(await this.session.file.message(opening.refusal));
    const exit = 'exit' in opening ? opening.exit : undefined;
    return this.#exit(
      exit,
      new PeerError('CONNECTION_CLOSED', 'The recorded server ended before it answered the handshake'),
    );
  }

  #exit(exit: RecordedExit | undefined, error: PeerError): Promise<never> {
    const { onExit } = this.#options;
    if (!onExit) return Promise.reject(error);
    onExit(exit);
    return new Promise(() => undefined);
  }

  async #otherwise(method: string, params: Params, caller: Caller): Promise<Result> {
    const { otherwise } = this.#options;
    if (otherwise) return otherwise(method, params, caller);
    const list = methodsOfMcp.get(method)?.list;
    const { exchanges } = await this.session.read();
    if (list && !exchanges.some((each) => each.method === method))
      return { [list.member]: usedEntries(list, exchanges) };
    throw await this.refusal(method, params);
  }

  /** @internal The error of a request without a match. */
  refusal(method: string, params: Params): Promise<RpcError> {
    return this.#matcher.refusal(method, params);
  }

  async #play({ during = [], startMs }: RecordedExchange, caller: Caller): Promise<void> {
    let lastMs = startMs;
    for (const happening of during) {
      await this.#wait(happening.atMs - lastMs, caller);
      lastMs = happening.atMs;
      await this.#happen(happening, caller);
    }
  }

  async #happen({ kind, place }: Happening, caller: Caller): Promise<void> {
    if (kind === 'stderr' || kind === 'noise') return this.#print(kind, place);
    const message = await this.session.file.message(place);
    const params = isObject(message.params) ? message.params : {};
    if (kind === 'progress') {
      if (caller.wantsProgress) caller.progress(params);
    } else if (kind === 'log') caller.log(params);
    else if (kind === 'question') await asked(caller, message as unknown as InputRequest);
    else {
      const result = isObject(message.result) ? message.result : {};
      const questions = Object.entries(isObject(result.inputRequests) ? result.inputRequests : {});
      await Promise.all(questions.map(([name, question]) => asked(caller, question as InputRequest, name)));
    }
  }

  async #print(kind: 'stderr' | 'noise', place: Happening['place']): Promise<void> {
    const { onStderr, onNoise } = this.#options;
    const print = kind === 'stderr' ? onStderr : onNoise;
    await print?.(await this.session.file.text(place));
  }

  async #answer(exchange: RecordedExchange, params: Params, caller: Caller): Promise<Result> {
    const { answer, outcome, method, target, during, startMs, endMs = startMs, taskId } = exchange;
    await this.#wait(endMs - (during?.at(-1)?.atMs ?? startMs), caller);
    if (outcome === 'cut') throw cut(`The recorded answer to ${nameOf(method, target)} is incomplete`);
    if (answer) {
      const getsTask = taskId === undefined || (await this.#getsTask(caller.client, params));
      return resultOf(getsTask ? await this.session.file.message(answer) : await this.#endOfTask(taskId));
    }
    if (outcome === 'refused') {
      throw new RpcError(RpcCode.internalError, `The recorded server answered with HTTP status ${exchange.status}`);
    }
    if (outcome !== 'lost') return unanswered(caller);
    const error = new PeerError('OUTCOME_UNKNOWN', 'The recorded server ended before it answered this request');
    return this.#exit(exchange.exit, error);
  }

  /** Waits for this recorded time, at the chosen pace. */
  async #wait(recordedMs: number, { signal }: Caller): Promise<void> {
    if (signal?.aborted) throw signal.reason;
    const ms = this.#paced(recordedMs);
    if (ms > 0) await pause(this.#clock, ms, signal ?? never);
  }

  #paced(recordedMs: number): number {
    const { pace = 'fast' } = this.#options;
    return pace === 'fast' ? 0 : Math.max(0, recordedMs) / (pace === 'recorded' ? 1 : pace);
  }

  /** The answer is written first. The recorded events after it are replayed once, even if the request is repeated. */
  #after(exchange: RecordedExchange): void {
    const { after, endMs = 0 } = exchange;
    if (!after || this.#ended.has(exchange)) return;
    this.#ended.add(exchange);
    this.#announce(after, endMs);
  }

  #announce(happenings: readonly Happening[], sinceMs: number): void {
    const announcing = this.#announceAll(happenings, sinceMs);
    this.#announcing.add(announcing);
    void announcing.then(() => this.#announcing.delete(announcing));
  }

  /** Never rejects: if the file cannot be read, requests report it. */
  async #announceAll(happenings: readonly Happening[], sinceMs: number): Promise<void> {
    let lastMs = sinceMs;
    await this.#later(0);
    for (const { kind, place, atMs } of happenings) {
      const ms = this.#paced(atMs - lastMs);
      if (ms > 0) await this.#later(ms);
      lastMs = atMs;
      if (this.#isClosed) return;
      try {
        if (kind === 'stderr' || kind === 'noise') await this.#print(kind, place);
        else if (kind !== 'question') await this.#notify(place);
      } catch {
        return;
      }
    }
  }

  async #notify(place: Happening['place']): Promise<void> {
    const { method, params } = await this.session.file.message(place);
    this.#watchers.notify(String(method), isObject(params) ? params : undefined);
  }

  /** Does not keep the process alive. */
  #later(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        timer.cancel();
        this.#waits.delete(end);
        resolve();
      };
      const timer = this.#clock.after(ms, end);
      timer.keepAlive(false);
      this.#waits.add(end);
    });
  }

  /** Whether the client gets tasks in the form of the recorded server. */
  async #getsTask(client: ClientFacts, params: Params): Promise<boolean> {
    return hasFormOf(client, await this.#begin()) && (declaresTasks(client) || wantsTask(params, client));
  }

  /** The result of a task, for a client that gets the result of a call instead of its task. */
  async #endOfTask(taskId: string): Promise<Params> {
    const { taskEnds } = await this.session.read();
    const place = taskEnds.get(taskId);
    if (!place)
      throw new RpcError(
        RpcCode.internalError,
        'The recording does not contain the end of the task that this call became',
      );
    const { result, params, ...answer } = await this.session.file.message(place);
    // In 2026-07-28, the answer to `tasks/get` and the notification have the outcome inside of the task.
    const task = isObject(params) ? params : result;
    const isTask = isObject(task) && typeof task.taskId === 'string' && ('result' in task || 'error' in task);
    return isTask ? task : { ...answer, result };
  }
}

const MOST_ENTRIES = 1000;

/** The entries of a list that the recorded client did not read, but whose entries it used. */
function usedEntries({ member, nameKey }: ListFacts, exchanges: readonly RecordedExchange[]): Result[] {
  const names = new Set<string>();
  for (const { method, target } of exchanges) {
    const isUse = target !== undefined && methodsOfMcp.get(method)?.target?.list === member;
    if (isUse && names.size < MOST_ENTRIES) names.add(target);
  }
  const schema = member === 'tools' ? { inputSchema: { type: 'object' } } : {};
  return [...names].map((name) => ({ name, [nameKey]: name, ...schema }));
}

const never: AbortSignal = new AbortController().signal;

/** Whether the recorded server has tasks in the form of this client. */
function hasFormOf({ revision }: ClientFacts, facts: ServiceFacts): boolean {
  return isModernRevision(revision) === isModernRevision((facts as RecordedFacts).revision);
}

/** A client that cannot answer the question still gets the recorded result. */
async function asked(caller: Caller, { method, params }: InputRequest, name?: string): Promise<void> {
  try {
    await caller.ask({ method, params } as InputRequest, name);
  } catch (error) {
    if (caller.signal?.aborted) throw error;
  }
}

function resultOf({ result, error }: Params): Result {
  if (!isObject(error)) return isObject(result) ? result : {};
  const code = typeof error.code === 'number' ? error.code : RpcCode.internalError;
  throw new RpcError(code, String(error.message), error.data);
}
