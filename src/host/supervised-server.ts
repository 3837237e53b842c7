// One server of a host: started when it is wanted, brought back when it falls, stopped as a whole. At any time there is at
// most one process of it. Whoever calls it waits for it to be ready, and learns honestly what became of the call.

import type { Clock, Timer } from '../base/clock.ts';
import { PeerError, ProcessError, StandpipeError, toError, UsageError } from '../base/errors.ts';
import { decideRestart, noHistory, type RestartHistory, type RestartLimits } from './restart-policy.ts';
import type { LastExit, ServerState, ServerStatus, StateChange } from './server-state.ts';
import { type Waiting, waiting } from './waiting.ts';

/** A server that answers: one process, connected. */
export interface ServerLink<Client> {
  client: Client;
  pid: number | null;
  revision: string | undefined;
  serverInfo: ServerStatus['serverInfo'];
  /** Called once, when the connection is over without our doing. */
  onLost(listener: (cause: Error | undefined) => void): void;
  close(): Promise<void>;
}

export interface SupervisedServerOptions<Client> {
  name: string;
  protocol: 'mcp' | 'litemcp';
  enabled: boolean;
  restart: RestartLimits;
  /** Starts a process and connects to it. Aborted when the server is stopped meanwhile. */
  open: (signal: AbortSignal) => Promise<ServerLink<Client>>;
  onStateChange: (change: StateChange) => void;
  clock: Clock;
  random?: () => number;
}

export interface UseOptions {
  /** Whether the call may run twice without harm: then it is sent again when its outcome is unknown. */
  repeatable?: () => boolean;
  /** Whether it is counted as a call. What we ask for our own sake is not. */
  counts?: boolean;
}

const LONGEST_REASON = 2000;
/** How often one call is sent at most, while its server keeps falling. */
const MOST_ATTEMPTS = 3;
/** How long a connection that takes nothing may need to be known as lost. */
const LOSS_WAIT_MS = 3000;
/** Trying again cannot help: the command itself is wrong. */
const hopeless = new Set(['COMMAND_NOT_FOUND', 'COMMAND_NOT_EXECUTABLE', 'CWD_NOT_FOUND', 'INVALID_OPTION']);

export class SupervisedServer<Client> {
  readonly name: string;
  readonly #options: SupervisedServerOptions<Client>;
  #state: ServerState;
  #reason: string;
  #link: ServerLink<Client> | undefined;
  /** Settles when the connection of this link is over. */
  #over: Waiting<void> | undefined;
  /** Settles when the server is ready or has failed for good; waits through restarts. */
  #ready: Waiting<ServerLink<Client>> | undefined;
  #opening: { abort: AbortController; done: Promise<void> } | undefined;
  #backoff: Timer | undefined;
  #stopping: Promise<void> | undefined;
  /** Why it is not to run: somebody stopped it. Only `start` takes that back, never a call. */
  #held: string | undefined;
  #history: RestartHistory = noHistory;
  #readySinceMs = 0;
  #restarts = 0;
  #calls = 0;
  #errors = 0;
  #lastExit: LastExit | undefined;
  #lastError: string | undefined;
  #lastCause: Error | undefined;

  constructor(options: SupervisedServerOptions<Client>) {
    this.name = options.name;
    this.#options = options;
    this.#state = options.enabled ? 'stopped' : 'disabled';
    this.#reason = options.enabled ? 'not started yet' : 'disabled in the config';
  }

  get state(): ServerState {
    return this.#state;
  }

  get status(): ServerStatus {
    const { name, protocol, clock } = this.#options;
    return {
      name,
      state: this.#state,
      reason: this.#reason,
      protocol,
      pid: this.#link?.pid ?? null,
      uptimeMs: this.#state === 'ready' ? clock.nowMs() - this.#readySinceMs : 0,
      restarts: this.#restarts,
      calls: this.#calls,
      errors: this.#errors,
      revision: this.#link?.revision,
      serverInfo: this.#link?.serverInfo,
      lastExit: this.#lastExit,
      lastError: this.#lastError,
    };
  }

  /** Resolves when the server is ready. Starts it if it is not running; a failed one gets a new chance. */
  async start(): Promise<void> {
    while (this.#stopping) await this.#stopping;
    this.#held = undefined;
    if (this.#state === 'failed') this.#change('stopped', 'to be started again');
    this.#history = this.#state === 'stopped' ? noHistory : this.#history;
    await this.#whenReady();
  }

  /** Resolves when the process and all that it started is gone. */
  stop(reason = 'asked to stop'): Promise<void> {
    this.#held = reason;
    this.#stopping ??= this.#stop(reason).finally(() => {
      this.#stopping = undefined;
    });
    return this.#stopping;
  }

  async restart(): Promise<void> {
    const stopped = this.stop('restarted');
    this.#held = undefined; // calls that come meanwhile wait for the new process
    await stopped;
    await this.start();
  }

  /** Runs a call on the server as soon as it is ready. What was never sent is sent again after a restart. */
  use<T>(run: (client: Client) => Promise<T>, options: UseOptions = {}): Promise<T> {
    if (options.counts !== false) this.#calls++;
    const link = this.#usableLink();
    if (!link) return this.#runWhenReady(run, options, 1);
    // The usual way: one promise more than the call itself has.
    return run(link.client).then(undefined, (error) => this.#runAgain(error, link, run, options, 1));
  }

  async #runWhenReady<T>(run: (client: Client) => Promise<T>, options: UseOptions, attempt: number): Promise<T> {
    const link = await this.#whenReady().catch((error) => this.#giveUp(error, options));
    try {
      return await run(link.client);
    } catch (error) {
      return this.#runAgain(error, link, run, options, attempt);
    }
  }

  async #runAgain<T>(
    error: unknown,
    link: ServerLink<Client>,
    run: (client: Client) => Promise<T>,
    options: UseOptions,
    attempt: number,
  ): Promise<T> {
    if (attempt >= MOST_ATTEMPTS || !mayRepeat(error, options)) return this.#giveUp(error, options);
    await this.#whenOver(link);
    return this.#runWhenReady(run, options, attempt + 1);
  }

  #giveUp(error: unknown, options: UseOptions): never {
    if (options.counts !== false) this.#errors++;
    this.#lastError = toError(error).message;
    throw error;
  }

  #usableLink(): ServerLink<Client> | undefined {
    const isUsable = this.#state === 'ready' && !this.#stopping && this.#held === undefined;
    return isUsable ? this.#link : undefined;
  }

  async #whenReady(): Promise<ServerLink<Client>> {
    while (this.#stopping && this.#held === undefined) await this.#stopping;
    if (this.#held !== undefined && this.#state !== 'disabled') throw this.#stopped(this.#held);
    switch (this.#state) {
      case 'ready':
        return this.#link!;
      case 'disabled':
        throw new UsageError('SERVER_DISABLED', `Server "${this.name}" is disabled in the config`);
      case 'failed':
        throw this.failure();
      case 'stopped':
        this.#ready = waiting();
        this.#open('it is needed');
    }
    return this.#ready!.promise;
  }

  /** A call fails as soon as nothing can be written; that the server is gone is known a little later. */
  async #whenOver(link: ServerLink<Client>): Promise<void> {
    if (this.#link !== link) return;
    const { promise, resolve } = this.#over!;
    const timer = this.#options.clock.after(LOSS_WAIT_MS, resolve);
    await promise;
    timer.cancel();
  }

  #open(reason: string): void {
    this.#change('starting', reason);
    const abort = new AbortController();
    const done = this.#options.open(abort.signal).then(
      (link) => this.#opened(link, abort.signal),
      (error) => this.#fell(toError(error), 0, abort.signal),
    );
    this.#opening = { abort, done };
  }

  async #opened(link: ServerLink<Client>, signal: AbortSignal): Promise<void> {
    this.#opening = undefined;
    if (signal.aborted) return link.close();
    this.#link = link;
    this.#over = waiting();
    this.#readySinceMs = this.#options.clock.nowMs();
    link.onLost((cause) => {
      if (this.#link !== link) return;
      this.#link = undefined;
      this.#over?.resolve();
      this.#ready = waiting();
      const lost = cause ?? new PeerError('CONNECTION_CLOSED', 'The server closed the connection');
      this.#fell(lost, this.#options.clock.nowMs() - this.#readySinceMs);
    });
    this.#change('ready', this.#restarts > 0 ? 'back again' : 'connected');
    this.#ready?.resolve(link);
  }

  /** The process could not be started, or went away. */
  #fell(cause: Error, uptimeMs: number, signal?: AbortSignal): void {
    this.#opening = undefined;
    if (signal?.aborted) return;
    const evidence = cause instanceof StandpipeError ? cause.evidence : undefined;
    const { code, hint } = cause as Partial<StandpipeError>;
    this.#lastExit = { message: cause.message, code, hint, evidence };
    this.#lastError = cause.message;
    this.#lastCause = cause;
    const { restart, clock, random = Math.random } = this.#options;
    const ending = { uptimeMs, exitCode: evidence?.exitCode ?? null, signal: evidence?.signal ?? null };
    const decision = decideRestart(this.#history, ending, restart, clock.nowMs(), random());
    this.#history = decision.history;
    if (hopeless.has(code ?? '') || !decision.restart) {
      const why = decision.restart ? 'starting it again cannot help' : decision.reason;
      this.#change('failed', `${cause.message} — ${why}`);
      this.#ready?.reject(this.failure());
      return;
    }
    this.#change('backoff', `${cause.message} — starts again in ${decision.afterMs} ms`);
    this.#backoff = clock.after(decision.afterMs, () => {
      this.#restarts++;
      this.#open('restarted after a failure');
    });
  }

  async #stop(reason: string): Promise<void> {
    if (this.#state === 'disabled' || this.#state === 'stopped') return;
    this.#change('stopping', reason);
    this.#backoff?.cancel();
    const link = this.#link;
    this.#link = undefined;
    this.#over?.resolve();
    this.#ready?.reject(this.#stopped(reason));
    this.#ready = undefined;
    const opening = this.#opening;
    opening?.abort.abort(new UsageError('SERVER_STOPPED', `Server "${this.name}" was stopped while it was starting`));
    await opening?.done;
    await link?.close();
    this.#change('stopped', reason);
  }

  #stopped(reason: string): UsageError {
    return new UsageError('SERVER_STOPPED', `Server "${this.name}" was stopped: ${reason}`, {
      hint: `Start it first: \`standpipe start ${this.name}\`, or startServer(${JSON.stringify(this.name)}) of the host.`,
    });
  }

  failure(): ProcessError {
    const { message = 'it failed', hint, evidence } = this.#lastExit ?? {};
    return new ProcessError('SERVER_FAILED', `Server "${this.name}" is not running: ${this.#reason || message}`, {
      evidence,
      hint: hint ?? 'Repair it, then start it again.',
      cause: this.#lastCause,
    });
  }

  #change(to: ServerState, why: string): void {
    const from = this.#state;
    const reason = why.slice(0, LONGEST_REASON); // a server's own words may be in it
    this.#state = to;
    this.#reason = reason;
    this.#options.onStateChange({ server: this.name, from, to, reason, atMs: this.#options.clock.nowMs() });
  }
}

/** Decision by what is known: never sent is safe; sent and lost only where running twice does no harm. */
function mayRepeat(error: unknown, { repeatable }: UseOptions): boolean {
  if (!(error instanceof PeerError)) return false;
  return error.code === 'NOT_SENT' || (error.code === 'OUTCOME_UNKNOWN' && repeatable?.() === true);
}
