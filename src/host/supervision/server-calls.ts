// The calls of one server. A call waits until a process is ready. It is sent again only if it was never sent, or if both the lost process
// and the process that would repeat it permit that.

import type { CancelSignal } from '../../base/cancel-signal.ts';
import type { Clock } from '../../base/clock.ts';
import { PeerError, toError } from '../../base/errors.ts';
import { SILENT, unlessAborted, within } from '../../base/wait.ts';
import { lostRequest } from '../../wire/requests/lost-request.ts';
import type { Link } from './link.ts';
import { notReadyInTime, SHOW_FLEET } from './server-errors.ts';

/** Whether a call whose outcome is unknown may run once more. */
export interface RepeatPermission<Client> {
  given(lost: Client): boolean;
  /** Asks the process that would repeat the call. */
  confirmed(next: Client): Promise<boolean>;
}

export interface UseOptions<Client> {
  /** `true`: the caller permits the call to run twice. */
  repeatable?: boolean | RepeatPermission<Client>;
  /** False for requests from the host itself, which are not counted. */
  counts?: boolean;
  /** A failure caused by this signal is not an error of the server. */
  signal?: CancelSignal | undefined;
  /** Limit of the wait for a server that is not ready. Default: as long as the server may still become ready. */
  waitMs?: number | undefined;
}

interface CallsOptions<Client> {
  name: string;
  clock: Clock;
  reason: () => string;
  /** Why a server of a fleet cannot be reached at the moment, if known. */
  whyAway?: (() => string | undefined) | undefined;
  /** Resolves when a process is ready, after restarts if necessary. */
  whenReady: () => Promise<Link<Client>>;
  /** Called when a call was not answered within the limit of the entry, but not for a shorter limit of the caller. */
  timedOut: (link: Link<Client>) => void;
  /** Called when a request to a remote server failed. Resolves to true if the server is still reachable. */
  doubted: (link: Link<Client>, error: PeerError) => Promise<boolean>;
}

export type Run<Client, T> = (client: Client, link: Link<Client>) => Promise<T>;

interface Call<Client, T> {
  run: Run<Client, T>;
  options: UseOptions<Client>;
  attempt: number;
  /** The error of an earlier attempt that lost its process after the call was sent. */
  mayHaveRun?: unknown;
}

/** Limit of attempts per call while its server keeps failing. */
const MOST_ATTEMPTS = 3;
/** Limit of the wait until the loss of a connection that accepts no input is known. */
const LOSS_WAIT_MS = 3000;

const countedOnce = {};

export class ServerCalls<Client> {
  link: Link<Client> | undefined;
  calls = 0;
  errors = 0;
  lastError: string | undefined;
  readonly #options: CallsOptions<Client>;

  constructor(options: CallsOptions<Client>) {
    this.#options = options;
  }

  use<T>(run: Run<Client, T>, options: UseOptions<Client> = countedOnce): Promise<T> {
    if (options.counts !== false) this.calls++;
    const { link } = this;
    if (!link) return this.#runWhenReady({ run, options, attempt: 1 });
    link.begun++;
    // This path is frequent, so it adds only one promise to those of the call.
    return run(link.client, link).then(link.answered, (error) =>
      this.#failed(error, link, { run, options, attempt: 1 }),
    );
  }

  async #runWhenReady<T>(call: Call<Client, T>): Promise<T> {
    const link = await this.#whenReady(call);
    return this.#runOn(link, call);
  }

  async #runOn<T>(link: Link<Client>, call: Call<Client, T>): Promise<T> {
    link.begun++;
    try {
      return link.answered(await call.run(link.client, link));
    } catch (error) {
      return this.#failed(error, link, call);
    }
  }

  async #failed<T>(thrown: unknown, link: Link<Client>, call: Call<Client, T>): Promise<T> {
    const { options, attempt } = call;
    link.failed();
    const error = endedByUs(thrown, link) ? lost(link) : withReason(thrown, this.#options.whyAway);
    const outcome = outcomeOf(error);
    // The process is added to the error unless the server itself answered with the error, or the call was not sent.
    if (error instanceof PeerError && outcome !== 'NOT_SENT') error.ran ??= link.server.process;
    // A command ended the process: the call may have run, and is not repeated.
    if (error !== thrown && link.cause === undefined) return this.#giveUp(error, options);
    // `waitedInFull` is read before a reason is added, because the error of another node does not concern this connection.
    if (thrown instanceof PeerError && thrown.waitedInFull) this.#options.timedOut(link);
    if (outcome !== undefined && link.server.isRemote) void this.#options.doubted(link, error as PeerError);
    const { repeatable = false } = options;
    // A call whose process was lost may have run, even if a later attempt could not be sent.
    const finalError = outcome === 'NOT_SENT' ? (call.mayHaveRun ?? error) : error;
    if (outcome === undefined || attempt >= MOST_ATTEMPTS) return this.#giveUp(finalError, options);
    const permission = outcome === 'OUTCOME_UNKNOWN' && typeof repeatable === 'object' ? repeatable : undefined;
    const mayRepeat = outcome === 'NOT_SENT' || (permission ? permission.given(link.client) : repeatable);
    if (!mayRepeat) return this.#giveUp(finalError, options);
    const isThere = await this.#settled(link, error as PeerError);
    // A server that refused the request would refuse it again. Without a response, only the connection failed, and another may work.
    if (isThere && outcome === 'NOT_SENT' && hasResponse(error)) return this.#giveUp(finalError, options);
    if (!permission) return this.#runWhenReady({ ...call, attempt: attempt + 1 });
    const next: Call<Client, T> = { ...call, attempt: attempt + 1, mayHaveRun: error };
    return this.#runOn(await this.#confirmed(permission, next), next);
  }

  /** The call then runs on the process that permitted it. */
  async #confirmed(permission: RepeatPermission<Client>, call: Call<Client, unknown>): Promise<Link<Client>> {
    for (let attempt = 1; ; attempt++) {
      const link = await this.#whenReady(call);
      const permitted = await permission.confirmed(link.client).catch(async (error) => {
        if (outcomeOf(error) === undefined || attempt >= MOST_ATTEMPTS) return false;
        await this.#settled(link, error);
        return undefined;
      });
      if (permitted) return link;
      if (permitted === false) this.#giveUp(call.mayHaveRun, call.options);
    }
  }

  #whenReady(call: Call<Client, unknown>): Promise<Link<Client>> {
    const { signal, waitMs } = call.options;
    const ready = waitMs === undefined ? this.#options.whenReady() : this.#inTime(this.#options.whenReady(), waitMs);
    return (signal ? unlessAborted(ready, signal) : ready).catch((error) =>
      this.#giveUp(call.mayHaveRun ?? error, call.options),
    );
  }

  async #inTime(ready: Promise<Link<Client>>, waitMs: number): Promise<Link<Client>> {
    const { clock, name, reason, whyAway } = this.#options;
    const settled = Promise.allSettled([ready]);
    if ((await within(clock, waitMs, settled)) !== SILENT) return ready;
    throw notReadyInTime(name, waitMs, whyAway?.() ?? reason());
  }

  /** Resolves when the loss is known: a call fails earlier, as soon as writing fails. True if the server is still reachable. */
  async #settled(link: Link<Client>, error: PeerError): Promise<boolean> {
    if (link.server.isRemote) return this.#options.doubted(link, error);
    await within(this.#options.clock, LOSS_WAIT_MS, link.over.promise);
    return false;
  }

  #giveUp(error: unknown, options: UseOptions<Client>): never {
    if (options.signal?.aborted && error === options.signal.reason) throw error;
    if (options.counts !== false) this.errors++;
    this.lastError = toError(error).message;
    throw error;
  }
}

/** Returns true if the host ended the process: its calls are then lost, not cancelled. */
function endedByUs(error: unknown, { cause, endReason }: Link<unknown>): boolean {
  const isEnded = cause !== undefined || endReason !== undefined;
  return isEnded && error instanceof PeerError && error.code === 'CONNECTION_CLOSED';
}

/** Adds the reason, if known, to a timeout of a request to another node. */
function withReason(error: unknown, whyAway: CallsOptions<unknown>['whyAway']): unknown {
  const why = error instanceof PeerError && error.code === 'REQUEST_TIMEOUT' ? whyAway?.() : undefined;
  if (why === undefined) return error;
  const { code, message, evidence, cause } = error as PeerError;
  return new PeerError(code, `${message}: ${why}`, { hint: SHOW_FLEET, evidence, cause });
}

function lost({ cause, endReason, server }: Link<unknown>): PeerError {
  const why = cause ?? new PeerError('CONNECTION_CLOSED', `The server was stopped (${endReason})`);
  return lostRequest('the call', { closedByUs: false, cause: why, evidence: server.evidence() });
}

/** Returns true if the connection ended before the answer. */
export function isLost(error: unknown): boolean {
  return outcomeOf(error) !== undefined || (error instanceof PeerError && error.code === 'CONNECTION_CLOSED');
}

function hasResponse(error: unknown): boolean {
  return error instanceof PeerError && error.cause === undefined && error.evidence?.status !== undefined;
}

function outcomeOf(error: unknown): 'NOT_SENT' | 'OUTCOME_UNKNOWN' | undefined {
  if (!(error instanceof PeerError)) return undefined;
  return error.code === 'NOT_SENT' || error.code === 'OUTCOME_UNKNOWN' ? error.code : undefined;
}
