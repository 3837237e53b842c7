// One server of a host: runs the effects that `stepSupervision` decides, one after another, and reports their outcomes to it. The last of
// overlapping commands wins. `start` and `restart` resolve when the server is ready, whichever command made it so. They reject with
// SERVER_STOPPED after a later `stop`, and with SERVER_FAILED when the server is given up. `stop` resolves when the process it ended has
// exited, even if a later command starts another.

import type { Clock, Timer } from '../../base/clock.ts';
import { PeerError, type StandpipeError, toError, UsageError } from '../../base/errors.ts';
import type { ServerConfig } from '../../config/server-config.ts';
import { type Deferred, deferred, Link, type ServerLink } from './link.ts';
import { type Run, ServerCalls, type UseOptions } from './server-calls.ts';
import {
  isHopeless,
  lastExitOf,
  lossOf,
  serverDisabled,
  serverFailed,
  serverStopped,
  serverUnreachable,
} from './server-errors.ts';
import type { LastExit, ServerState, StateChange, SupervisedStatus } from './server-state.ts';
import {
  type Fall,
  type Intention,
  newSupervision,
  type Replacement,
  type Supervision,
  type SupervisionEffect,
  type SupervisionEvent,
  stepSupervision,
} from './supervision.ts';

type SupervisedEntry = Pick<ServerConfig, 'enabled' | 'restart' | 'protocol' | 'pingTimeoutMs' | 'url'>;

export interface SupervisedServerOptions<Client> {
  name: string;
  entry: SupervisedEntry;
  /** Starts a process and connects to it. After an abort or a failure, rejects when the process has exited. */
  open: (signal: AbortSignal) => Promise<ServerLink<Client>>;
  pid: () => number | null;
  url?: () => string | undefined;
  /** Why a server of a fleet cannot be reached at the moment. */
  whyAway?: () => string | undefined;
  onStateChange: (change: StateChange) => void;
  clock: Clock;
  random?: () => number;
}

export class SupervisedServer<Client> {
  readonly name: string;
  readonly #options: SupervisedServerOptions<Client>;
  readonly #calls: ServerCalls<Client>;
  #entry: SupervisedEntry;
  #supervision: Supervision;
  /** Events that arrived while effects were running. */
  readonly #events: SupervisionEvent[] = [];
  #stepping = false;
  #link: Link<Client> | undefined;
  #opening: AbortController | undefined;
  #backoff: Timer | undefined;
  /** Settles when the server is ready, has failed or was stopped. */
  #ready: Deferred<Link<Client>> | undefined;
  /** Resolves when the process has exited. */
  #gone: Deferred<void> | undefined;
  #lastExit: LastExit | undefined;
  #lastCause: Error | undefined;

  constructor(options: SupervisedServerOptions<Client>) {
    this.name = options.name;
    this.#options = options;
    this.#entry = options.entry;
    const { enabled, restart, url } = options.entry;
    this.#supervision = newSupervision(enabled, restart, url !== undefined);
    this.#calls = new ServerCalls({
      ...options,
      reason: () => this.#supervision.reason,
      whenReady: () => this.#readyAfter({ type: 'needed', nowMs: options.clock.nowMs() }),
      timedOut: (link) => void this.#ask(link),
      doubted: (link, error) => this.#doubted(link, error),
    });
  }

  get state(): ServerState {
    return this.#supervision.state;
  }

  get hasProcess(): boolean {
    return this.#supervision.process !== undefined;
  }

  /** True if the server has no process and starts none without a request. */
  get isAtRest(): boolean {
    return !this.hasProcess && (this.state === 'stopped' || this.state === 'disabled' || this.state === 'failed');
  }

  get intention(): Intention {
    return this.#supervision.intention;
  }

  get status(): SupervisedStatus {
    const { state, reason, readySinceMs, restarts } = this.#supervision;
    const { calls, errors, lastError } = this.#calls;
    return {
      name: this.name,
      state,
      reason,
      protocol: this.#entry.protocol,
      url: this.#options.url?.(),
      pid: this.hasProcess ? this.#options.pid() : null,
      uptimeMs: state === 'ready' ? this.#options.clock.nowMs() - readySinceMs : 0,
      restarts,
      calls,
      errors,
      revision: this.#link?.server.revision,
      serverInfo: this.#link?.server.serverInfo,
      lastExit: this.#lastExit,
      lastError,
    };
  }

  /** Resolves when the server is ready. Starts it if it is not running, even after it has failed. */
  async start(): Promise<void> {
    await this.#readyAfter({ type: 'start' });
  }

  stop(reason = 'stop requested'): Promise<void> {
    return this.#goneAfter({ type: 'stop', reason });
  }

  /** Resolves when a new process is ready. Calls made in the meantime wait for it. */
  async restart(): Promise<void> {
    await this.#readyAfter({ type: 'restart' });
  }

  /** Ends the old process before the next one starts. Resolves when the old one has exited. */
  replace(entry: SupervisedEntry, intention: Replacement): Promise<void> {
    this.#entry = entry;
    const { enabled, restart: limits, url } = entry;
    return this.#goneAfter({ type: 'replace', enabled, limits, isRemote: url !== undefined, ...intention });
  }

  /** Ends the process; the next call starts another. `isUnused`: its waiting callers have given up. Resolves after its exit. */
  end(reason: string, wanted = false, isUnused = false): Promise<void> {
    const { held } = this.intention;
    return this.replace(this.#entry, { reason, wanted: wanted && held === undefined, held, isUnused });
  }

  reachable(): void {
    this.#take({ type: 'reachable' });
  }

  /** Permits calls to start the server again. */
  release(): void {
    this.#take({ type: 'release' });
  }

  /** Runs a call as soon as the server is ready. An unsent call is sent again after a restart. */
  use<T>(run: Run<Client, T>, options?: UseOptions<Client>): Promise<T> {
    return this.#calls.use(run, options);
  }

  failure(): StandpipeError {
    const { state, reason, isRemote } = this.#supervision;
    if (state === 'unreachable') return serverUnreachable(this.name, reason, this.#lastCause);
    return serverFailed(this.name, reason, this.#lastCause, isRemote);
  }

  /** If the outcome is known, the event settles the promise at once. */
  #readyAfter(event: SupervisionEvent): Promise<Link<Client>> {
    this.#ready ??= deferred();
    const { promise } = this.#ready;
    this.#take(event);
    return promise;
  }

  #goneAfter(event: SupervisionEvent): Promise<void> {
    this.#gone ??= deferred();
    const { promise } = this.#gone;
    this.#take(event);
    return promise;
  }

  /** All effects of one event run before the next event is processed, even if they cause it. */
  #take(event: SupervisionEvent): void {
    this.#events.push(event);
    if (this.#stepping) return;
    this.#stepping = true;
    try {
      for (let next = this.#events.shift(); next; next = this.#events.shift()) {
        const { next: supervision, effects } = stepSupervision(this.#supervision, next);
        this.#supervision = supervision;
        if (supervision.state !== 'ready') this.#calls.link = undefined;
        if (!supervision.intention.wanted) this.#link?.cut();
        for (const effect of effects) this.#carryOut(effect);
      }
    } finally {
      this.#stepping = false;
    }
  }

  #carryOut(effect: SupervisionEffect): void {
    switch (effect.type) {
      case 'changed':
        return this.#tell(effect);
      case 'open':
        return this.#open(effect.generation);
      case 'abort': {
        const message = `Server "${this.name}" was stopped while it was starting`;
        return this.#opening?.abort(new UsageError('SERVER_STOPPED', message));
      }
      case 'close':
        return this.#close(effect.generation);
      case 'wait':
        this.#backoff = this.#options.clock.after(effect.ms, () =>
          this.#take({ type: 'backoff-over', generation: effect.generation }),
        );
        return;
      case 'cancel-wait':
        return this.#backoff?.cancel();
      case 'ready':
        this.#calls.link = this.#link;
        this.#ready?.resolve(this.#link!);
        this.#ready = undefined;
        return;
      case 'refuse':
        this.#ready?.reject(this.#refusal(effect.why));
        this.#ready = undefined;
        return;
      case 'gone':
        this.#gone?.resolve();
        this.#gone = undefined;
        return;
    }
  }

  /** An exception of a listener must not prevent the other effects. */
  #tell({ from, to, reason }: SupervisionEffect & { type: 'changed' }): void {
    try {
      this.#options.onStateChange({ server: this.name, from, to, reason, atMs: this.#options.clock.nowMs() });
    } catch (error) {
      process.emitWarning(`onStateChange failed for server "${this.name}": ${toError(error).message}`);
    }
  }

  #open(generation: number): void {
    const opening = new AbortController();
    this.#opening = opening;
    this.#options.open(opening.signal).then(
      (server) => {
        const link = new Link(server, generation);
        this.#link = link;
        server.onLost((cause) => this.#lost(link, cause));
        if (server.isRemote) server.onDoubt?.((error) => void this.#doubted(link, error));
        this.#take({ type: 'opened', generation, nowMs: this.#options.clock.nowMs() });
      },
      (error) =>
        this.#take({ type: 'open-failed', generation, fall: this.#fall(toError(error), opening.signal.aborted) }),
    );
  }

  #lost(link: Link<Client>, cause: Error | undefined): void {
    if (this.#link !== link) return;
    const lost = cause ?? new PeerError('CONNECTION_CLOSED', 'The server closed the connection');
    const fall = this.#fall(lost, this.#supervision.state !== 'ready');
    this.#take({ type: 'lost', generation: link.generation, fall });
  }

  /** A call timed out: the server may be slow, or it may have stopped reading. */
  async #ask(link: Link<Client>): Promise<void> {
    const cause = await link.whyDeaf(this.#entry.pingTimeoutMs);
    if (!cause || this.#calls.link !== link) return;
    link.cause = cause;
    this.#lost(link, cause);
  }

  /** The connection of a request failed: the server may be unreachable, or only that connection was lost. */
  async #doubted(link: Link<Client>, error: PeerError): Promise<boolean> {
    if (this.#calls.link !== link) return false;
    if (await link.isThere(this.#entry.pingTimeoutMs)) return true;
    if (this.#calls.link !== link) return false;
    link.cause = error;
    this.#lost(link, lossOf(error));
    return false;
  }

  #close(generation: number): void {
    const link = this.#link!;
    link.endReason = this.#supervision.reason;
    link.over.resolve();
    const closed = () => {
      if (this.#link === link) this.#link = undefined;
      this.#take({ type: 'closed', generation });
    };
    link.end(this.#options.clock).then(closed, (error) => {
      this.#calls.lastError = toError(error).message;
      closed();
    });
  }

  /** `expected`: the host ended the process itself, so the error is not about the server. */
  #fall(cause: Error, expected: boolean): Fall {
    const exit = lastExitOf(cause);
    if (!expected) {
      this.#lastExit = exit;
      this.#lastCause = cause;
      this.#calls.lastError = cause.message;
    }
    const { clock, random = Math.random } = this.#options;
    const { exitCode = null, signal = null } = exit.evidence ?? {};
    const { message } = cause;
    return { message, hopeless: isHopeless(exit), exitCode, signal, nowMs: clock.nowMs(), random: random() };
  }

  #refusal(why: 'failed' | 'stopped' | 'disabled'): Error {
    if (why === 'failed') return this.failure();
    if (why === 'disabled') return serverDisabled(this.name);
    return serverStopped(this.name, this.intention.held ?? this.#supervision.reason);
  }
}
