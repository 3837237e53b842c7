// A recorded server as a service. It answers requests as the recorded server did, with the progress, logs, questions, notifications and
// stderr of the recording, to clients of every revision.

import { type Clock, systemClock } from '../../base/clock.ts';
import { PeerError, RpcCode, RpcError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { redactor } from '../../base/secrets/redact.ts';
import { pause } from '../../base/wait.ts';
import { declaresTasks, wantsTask, withoutTasks } from '../../mcp/extensions/tasks/wire-forms.ts';
import { changedFacts } from '../../mcp/layers/layer.ts';
import { methodsOfMcp } from '../../mcp/methods.ts';
import { isModernRevision } from '../../mcp/revisions.ts';
import type { Caller, ClientFacts, Params, Result, Service, ServiceFacts, Watcher } from '../../mcp/service.ts';
import type { InputRequest } from '../../mcp/types.ts';
import { Watchers } from '../../mcp/watchers.ts';
import { differencesOf, shownValue } from './differences.ts';
import { unanswered } from './faults.ts';
import {
  comparable,
  type Happening,
  type RecordedExchange,
  type RecordedExit,
  requestKey,
  targetOf,
} from './recorded-exchange.ts';
import { RecordedSession } from './recorded-session.ts';

export interface ReplayOptions {
  /** The server to replay. Not needed if the recording has only one. */
  server?: string | undefined;
  /** Requests must come in the recorded order. */
  strict?: boolean | undefined;
  /** `fast` (default): without delays. `recorded`: with the recorded ones. A number divides them: 2 is twice as fast. */
  pace?: 'recorded' | 'fast' | number | undefined;
  /** Called with the recorded stderr. */
  onStderr?: ((text: string) => void) | undefined;
  /**
   * Ends the process where the recorded process exited before it answered. Without it, the request fails with
   * OUTCOME_UNKNOWN.
   */
  onExit?: ((exit: RecordedExit | undefined) => void) | undefined;
  clock?: Clock | undefined;
}

/** Limit of the recorded requests that are compared with one that has no match. */
const MOST_COMPARED = 200;
const MOST_DIFFERENCES = 5;
const PLACEHOLDER = /\[redacted\]|\[env [^\]]+\]/;

/** Returns at once; a file that cannot be used makes every request fail with the reason. */
export function replay(file: string, options: ReplayOptions = {}): ReplayService {
  return new ReplayService(RecordedSession.open(file, options), options);
}

export class ReplayService implements Service {
  readonly session: RecordedSession;
  readonly describe: (client?: ClientFacts) => ServiceFacts | Promise<ServiceFacts>;
  readonly #options: ReplayOptions;
  readonly #clock: Clock;
  readonly #watchers = new Watchers(() => undefined);
  readonly #redact = redactor();
  /** The number of times that each request was received. */
  readonly #counts = new Map<string, number>();
  readonly #ended = new Set<RecordedExchange>();
  #next = 0;
  #hasBegun = false;
  #facts: Promise<ServiceFacts> | undefined;

  constructor(session: RecordedSession, options: ReplayOptions = {}) {
    this.session = session;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const recorded: Pick<Service, 'describe'> = { describe: () => this.#begin() };
    this.describe = changedFacts(recorded as Service, (client, facts) =>
      client && !this.#hasFormOf(client, facts) ? withoutTasks : undefined,
    );
  }

  async request(method: string, params: Params, caller: Caller): Promise<Result> {
    await this.#begin();
    const exchange = await this.#take(method, params);
    if (!exchange) return this.#unmatched(method, params);
    await this.#play(exchange, caller);
    const result = await this.#answer(exchange, params, caller);
    this.#after(exchange);
    return result;
  }

  /** Notifications of clients have no effect on what was recorded. */
  notify(): void {
    return undefined;
  }

  async watch(watcher: Watcher): Promise<() => void> {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  close(): Promise<void> {
    return this.session.close();
  }

  #begin(): Promise<ServiceFacts> {
    this.#facts ??= this.session.facts().then((facts) => {
      if (!this.#hasBegun) {
        this.#hasBegun = true;
        for (const happening of this.session.before) this.#outside(happening, 0);
      }
      return facts;
    });
    return this.#facts;
  }

  async #take(method: string, params: Params): Promise<RecordedExchange | undefined> {
    const masked = this.#masked(params);
    const key = requestKey(method, masked);
    if (this.#options.strict) return this.#takeNext(method, key, params);
    const count = this.#counts.get(key) ?? 0;
    const exchange = (await this.session.find(key, count)) ?? (await this.#withPlaceholders(method, masked));
    if (exchange) this.#counts.set(key, count + 1);
    return exchange;
  }

  async #takeNext(method: string, key: string, params: Params): Promise<RecordedExchange> {
    const index = this.#next++;
    const exchange = await this.session.at(index);
    if (exchange?.key === key) return exchange;
    this.#next = index;
    if (!exchange) throw refused('All recorded requests were answered: the recording has no further one');
    const expected = await this.#paramsOf(exchange);
    const name = nameOf(exchange.method, exchange.target);
    const isSame = exchange.method === method && exchange.target === targetOf(method, params);
    const how = isSame ? `: ${this.#differing(expected, params)}` : '';
    throw refused(`The next recorded request is ${name}, not ${nameOf(method, targetOf(method, params))}${how}`);
  }

  /** Hides the secrets that a recording hides, so that a request with a secret matches its recorded form. */
  #masked(params: Params): Params {
    const text = JSON.stringify(params);
    const masked = this.#redact(text);
    return masked === text ? params : (JSON.parse(masked) as Params);
  }

  /** A recorded value may contain a placeholder for a secret that only the recording program knew. */
  async #withPlaceholders(method: string, params: Params): Promise<RecordedExchange | undefined> {
    for (const exchange of this.#like(method, targetOf(method, params))) {
      const recorded = await this.#paramsOf(exchange);
      if (differencesOf(recorded, comparable(params)).every(isMasked)) return exchange;
    }
    return undefined;
  }

  async #play({ during, startMs }: RecordedExchange, caller: Caller): Promise<void> {
    const beganMs = this.#clock.nowMs();
    for (const happening of during) {
      await this.#until(beganMs, happening.atMs - startMs, caller);
      await this.#happen(happening, caller);
    }
  }

  async #happen({ kind, place }: Happening, caller: Caller): Promise<void> {
    if (kind === 'stderr') return this.#options.onStderr?.(await this.session.file.text(place));
    const message = await this.session.file.message(place);
    const params = isObject(message.params) ? message.params : {};
    if (kind === 'progress') {
      if (caller.wantsProgress) caller.progress(params);
    } else if (kind === 'log') caller.log(params);
    else if (kind === 'question') await asked(caller, message as unknown as InputRequest);
    else if (kind === 'round') {
      const requests =
        isObject(message.result) && isObject(message.result.inputRequests) ? message.result.inputRequests : {};
      const questions = Object.entries(requests) as [string, InputRequest][];
      await Promise.all(questions.map(([key, request]) => asked(caller, request, key)));
    }
  }

  async #answer(exchange: RecordedExchange, params: Params, caller: Caller): Promise<Result> {
    await this.#until(this.#clock.nowMs(), this.#leftMs(exchange), caller);
    switch (exchange.outcome) {
      case 'answered': {
        const facts = await this.session.facts();
        const isPlain = exchange.taskId !== undefined && !this.#getsTask(caller.client, params, facts);
        const message = isPlain
          ? await this.#endOfTask(exchange.taskId!)
          : await this.session.file.message(exchange.answer!);
        return resultOf(message);
      }
      case 'cut':
        throw new RpcError(
          RpcCode.internalError,
          'The recorded answer is incomplete: it was longer than the recorder keeps',
          undefined,
          {
            hint: 'Record it again with a larger `--keep-bytes`.',
          },
        );
      case 'lost':
        if (!this.#options.onExit) {
          throw new PeerError('OUTCOME_UNKNOWN', 'The recorded server ended before it answered this request');
        }
        this.#options.onExit(exchange.exit);
        return unanswered(caller);
      default: // the recorded server never answered
        return unanswered(caller);
    }
  }

  #leftMs({ during, startMs, endMs = startMs }: RecordedExchange): number {
    return endMs - (during.at(-1)?.atMs ?? startMs);
  }

  /** Waits until the recorded time since `beganMs`, at the chosen pace. */
  async #until(beganMs: number, recordedMs: number, { signal }: Caller): Promise<void> {
    const { pace = 'fast' } = this.#options;
    if (pace === 'fast') return signal?.aborted ? Promise.reject(signal.reason) : undefined;
    const waitMs = beganMs + recordedMs / (pace === 'recorded' ? 1 : pace) - this.#clock.nowMs();
    if (waitMs > 0) await pause(this.#clock, waitMs, signal ?? never);
  }

  /** The answer is written first. The events after it are sent once, even if the request is repeated. */
  #after(exchange: RecordedExchange): void {
    if (this.#ended.has(exchange)) return;
    this.#ended.add(exchange);
    for (const happening of exchange.after) this.#outside(happening, exchange.endMs ?? happening.atMs);
  }

  #outside(happening: Happening, sinceMs: number): void {
    const { pace = 'fast' } = this.#options;
    const delayMs = pace === 'fast' ? 0 : Math.max(0, happening.atMs - sinceMs) / (pace === 'recorded' ? 1 : pace);
    const timer = this.#clock.after(delayMs, () => {
      this.#announce(happening).catch(() => undefined); // the file is gone, which later requests report
    });
    timer.keepAlive(false);
  }

  async #announce({ kind, place }: Happening): Promise<void> {
    if (kind === 'stderr') return this.#options.onStderr?.(await this.session.file.text(place));
    const { method, params } = await this.session.file.message(place);
    if (kind !== 'question') this.#watchers.notify(String(method), isObject(params) ? params : undefined);
  }

  /** Whether the recorded server has tasks in the form of this client. */
  #hasFormOf({ revision }: ClientFacts, facts: ServiceFacts): boolean {
    const recorded = (facts as { revision?: Parameters<typeof isModernRevision>[0] }).revision;
    return isModernRevision(revision) === isModernRevision(recorded);
  }

  #getsTask(client: ClientFacts, params: Params, facts: ServiceFacts): boolean {
    return this.#hasFormOf(client, facts) && (declaresTasks(client) || wantsTask(params, client));
  }

  /** Finds the outcome of a task, for a client that gets the result of a call instead of its task. */
  async #endOfTask(taskId: string): Promise<Params> {
    await this.session.read();
    const place = this.session.taskEnds.get(taskId);
    if (!place) throw new RpcError(RpcCode.internalError, 'The recording has no end of the task that this call became');
    const message = await this.session.file.message(place);
    const { result } = message;
    // `tasks/get` of 2026-07-28 has the outcome inside of the task.
    return isObject(result) && result.status !== undefined && ('result' in result || 'error' in result)
      ? result
      : message;
  }

  async #unmatched(method: string, params: Params): Promise<Result> {
    await this.session.read();
    const list = methodsOfMcp.get(method)?.list;
    const target = targetOf(method, params);
    const like = [...this.#like(method, target)];
    if (list && like.length === 0) return { [list.member]: [] };
    if (like.length === 0) {
      const others = [...new Set(this.session.exchanges.map((each) => nameOf(each.method, each.target)))].slice(0, 10);
      const there = others.length > 0 ? `It has: ${others.join(', ')}` : 'It has no requests';
      throw refused(`The recording has no request ${nameOf(method, target)}. ${there}`);
    }
    const sent = comparable(this.#masked(params));
    let nearest: { params: Params; count: number } | undefined;
    for (const exchange of like) {
      const recorded = await this.#paramsOf(exchange);
      const count = differencesOf(recorded, sent).length;
      if (!nearest || count < nearest.count) nearest = { params: recorded, count };
    }
    throw refused(
      `No recorded request ${nameOf(method, target)} has these parameters. Of the nearest one, ${this.#differing(nearest!.params, params)}`,
    );
  }

  /** Exchanges with this method and target. If no exchange has the target, all exchanges with the method. */
  #like(method: string, target: string | undefined): RecordedExchange[] {
    const ofMethod = this.session.exchanges.filter((each) => each.method === method);
    const ofTarget = ofMethod.filter((each) => each.target === target);
    return (ofTarget.length > 0 ? ofTarget : ofMethod).slice(0, MOST_COMPARED);
  }

  #differing(recorded: Params, sent: Params): string {
    const found = differencesOf(recorded, comparable(this.#masked(sent)));
    const shown = found
      .slice(0, MOST_DIFFERENCES)
      .map(({ path, before, after }) => `${path} is ${shownValue(before)} instead of ${shownValue(after)}`);
    const more = found.length - shown.length;
    return `${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
  }

  async #paramsOf({ request }: RecordedExchange): Promise<Params> {
    const { params } = await this.session.file.message(request);
    return comparable(isObject(params) ? params : {});
  }
}

const never: AbortSignal = new AbortController().signal;

/** Asks the client. A client that cannot answer gets the recorded result nevertheless. */
async function asked(caller: Caller, { method, params }: InputRequest, key?: string): Promise<void> {
  try {
    await caller.ask({ method, params } as InputRequest, key);
  } catch (error) {
    if (caller.signal?.aborted) throw error;
  }
}

function resultOf({ result, error }: Params): Result {
  if (!isObject(error)) return isObject(result) ? result : {};
  const code = typeof error.code === 'number' ? error.code : RpcCode.internalError;
  throw new RpcError(code, String(error.message), error.data);
}

function isMasked({ before, after }: { before: unknown; after: unknown }): boolean {
  return typeof before === 'string' && PLACEHOLDER.test(before) && after !== undefined;
}

function nameOf(method: string, target: string | undefined): string {
  return target === undefined ? method : `${method} "${target}"`;
}

function refused(message: string): RpcError {
  return new RpcError(RpcCode.invalidParams, message);
}
