// One server of the fleet as a service. It is used like a server of this node; `server-requests.ts` finds the instance for each request.
// The service ends when no node has run the server for three lease lifetimes.

import { type Evidence, PeerError, UsageError } from '../../../base/errors.ts';
import type { ClientOptions } from '../../../mcp/client/options.ts';
import { finishRounds } from '../../../mcp/client/session/input-rounds.ts';
import { refusal } from '../../../mcp/client/session/inputs.ts';
import type { ServerFacts } from '../../../mcp/client/session/session.ts';
import { asResult, readServer } from '../../../mcp/client/tolerated-results.ts';
import { mustBeKnown, unexpectedType } from '../../../mcp/extensions/extension.ts';
import { readHandle } from '../../../mcp/handles.ts';
import { isOfMcp, mayAsk } from '../../../mcp/methods.ts';
import { eraOf, isModernRevision, NEWEST_MODERN } from '../../../mcp/revisions.ts';
import type {
  Caller,
  ClientFacts,
  ClientIdentity,
  Params,
  Result,
  Service,
  Watcher,
  WireName,
} from '../../../mcp/service.ts';
import type { InputRequiredResult } from '../../../mcp/types.ts';
import { lostRequest } from '../../../wire/requests/lost-request.ts';
import { SHOW_FLEET } from '../../supervision/server-errors.ts';
import type { FleetCalls } from './calls.ts';
import type { FleetServiceOptions } from './fleet-services.ts';
import { FleetWatches } from './fleet-watches.ts';
import { DISCOVER, ServerRequests } from './server-requests.ts';
import { isReachable, untilReachable } from './waiting-calls.ts';

const DEFAULT_STARTUP_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_INPUT_ROUNDS = 10;

export class FleetService implements Service {
  wire: WireName | undefined;
  onerror: ((error: Error) => void) | undefined;
  onclose: ((cause: Error | undefined) => void) | undefined;
  readonly #calls: FleetCalls;
  readonly #server: string;
  readonly #client: ClientOptions;
  readonly #requests: ServerRequests;
  readonly #watches: FleetWatches;
  readonly #closed = new AbortController();
  readonly #onEnd: () => void;
  #facts: ServerFacts | undefined;
  #state: 'new' | 'open' | 'closed' = 'new';
  #isClosedByUs = false;
  #stopListening: (() => void) | undefined;

  constructor(calls: FleetCalls, server: string, options: FleetServiceOptions, onEnd: () => void) {
    this.#calls = calls;
    this.#server = server;
    this.#client = options.client ?? {};
    this.#requests = new ServerRequests(calls, server, options, this);
    this.#watches = new FleetWatches(this.#requests, this.#client);
    this.#requests.watches = this.#watches;
    this.#onEnd = onEnd;
  }

  /** Fails if no node runs the server within `openWaitMs`. The host shows why, and tries again when that changes. */
  async start(): Promise<void> {
    if (this.#state !== 'new') throw new UsageError('ALREADY_STARTED', 'The service was started before');
    const server = this.#server;
    const calls = this.#calls;
    const { signal, startupTimeoutMs = DEFAULT_STARTUP_TIMEOUT_MS } = this.#client;
    const isOver = () => this.#state === 'closed' || calls.isOver || signal?.aborted === true;
    if (!isReachable(calls, server)) await untilReachable(calls, server, calls.openWaitMs, isOver);
    signal?.throwIfAborted();
    if (this.#state !== 'new') throw new UsageError('TRANSPORT_CLOSED', 'The service is closed');
    if (!isReachable(calls, server)) {
      throw new PeerError('NOT_SENT', `No node answers for "${server}": ${calls.table.whyNone(server)}`, {
        hint: SHOW_FLEET,
      });
    }
    this.#state = 'open';
    this.#stopListening = calls.table.listen(server, () => {
      this.#watches.instancesChanged();
      this.#requests.waiting.instancesChanged();
      calls.instancesChanged();
    });
    this.#requests.observed.tell((observer) => observer.connected?.(this.#requests.url));
    try {
      const described = await this.#requests.open(DISCOVER, {}, { timeoutMs: startupTimeoutMs, signal });
      const facts = readServer(described, () => undefined);
      this.#facts = { ...facts, revision: NEWEST_MODERN, era: eraOf(NEWEST_MODERN) };
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  describe(): ServerFacts {
    if (!this.#facts) throw notStarted();
    return this.#facts;
  }

  request(method: string, params: Params, caller: Caller): Result | Promise<Result> {
    // 2026-07-28 has neither method: the level is sent with every request, and any answer from the server serves as a ping.
    if (method === 'logging/setLevel') return {};
    if (method === 'ping') return this.#send(DISCOVER, {}, caller).then(() => ({}));
    const startedMs = caller.options?.totalTimeoutMs === undefined ? 0 : this.#calls.clock.nowMs();
    return this.#send(method, params, caller).then((result) => {
      if (result.resultType === 'complete' || result.resultType === undefined) return result;
      return this.#finish(result, method, params, caller, startedMs);
    });
  }

  /**
   * Clients send notifications to modern servers only for extensions. A notification is lost if the instance of its
   * client cannot be reached.
   */
  notify(method: string, params: Params | undefined, client: ClientFacts): void | Promise<void> {
    const instance = isOfMcp(method) ? undefined : this.#requests.instanceOf(client.identity);
    if (!instance) return undefined;
    const local = this.#calls.local(instance);
    if (local) return local.notify(method, params, client);
    const text = this.#requests.texts.ofNotification(method, params, client);
    return typeof text === 'string' ? this.#calls.tell(instance, text) : undefined;
  }

  watch(watcher: Watcher): Promise<() => Promise<void>> {
    return this.#watches.watch(watcher);
  }

  gone(client: ClientIdentity): void {
    this.#requests.gone(client);
  }

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  ended(why: string): void {
    this.#close(false, new PeerError('CONNECTION_CLOSED', why));
  }

  reconnected(): void {
    this.#requests.waiting.retry();
  }

  async close(): Promise<void> {
    if (this.#state !== 'closed') this.#close(true, undefined);
  }

  evidence(): Evidence {
    return this.#requests.evidence();
  }

  async #send(method: string, params: Params, caller: Caller, totalTimeoutMs = caller.options?.totalTimeoutMs) {
    if (this.#state === 'new') throw notStarted();
    const { signal, options } = caller;
    const limits = { timeoutMs: options?.timeoutMs, totalTimeoutMs };
    return asResult(await this.#requests.open(method, params, { caller, signal, ...limits }), method);
  }

  #finish(result: Result, method: string, params: Params, caller: Caller, startedMs: number): Result | Promise<Result> {
    // 2025-11-25: a call with `task` is answered with a task.
    if (params.task !== undefined && !isModernRevision(caller.client.revision)) return result;
    if (result.resultType !== 'input_required') return mustBeKnown(result, method, caller.client);
    if (!mayAsk(method)) throw unexpectedType(method, result.resultType);
    const asked = result as unknown as InputRequiredResult;
    const handlers = this.#client;
    // The call is suspended in its instance, which is found again for the request that brings the answers.
    const mayAnswer = Object.values(asked.inputRequests ?? {}).every((each) => !refusal(each, caller, {}));
    if (caller.asksInResult && readHandle(asked.requestState) && mayAnswer) return result;
    return finishRounds(asked, {
      method,
      params,
      caller,
      startedMs,
      handlers,
      maxInputRounds: handlers.maxInputRounds ?? DEFAULT_MAX_INPUT_ROUNDS,
      clock: this.#calls.clock,
      closed: this.#closed.signal,
      send: (next, leftMs) => this.#send(method, next, caller, leftMs),
      lost: () => {
        const cause = this.#closed.signal.reason as Error | undefined;
        return lostRequest(method, { closedByUs: this.#isClosedByUs, cause, evidence: this.evidence() });
      },
      other: (given) => mustBeKnown(given, method, caller.client),
    });
  }

  #close(byUs: boolean, cause: Error | undefined): void {
    const wasOpen = this.#state === 'open';
    this.#state = 'closed';
    this.#isClosedByUs = byUs;
    this.#stopListening?.();
    this.#onEnd();
    this.#closed.abort(cause ?? new PeerError('CONNECTION_CLOSED', 'The connection closed'));
    this.#requests.close(byUs, cause);
    if (!wasOpen) return;
    this.#requests.observed.tell((observer) => observer.disconnected?.(cause?.message));
    this.#watches.close();
    this.onclose?.(cause);
  }
}

function notStarted(): UsageError {
  return new UsageError('NOT_STARTED', 'The service was not started');
}
