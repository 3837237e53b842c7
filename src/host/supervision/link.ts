// One process of a server that was ready, kept while calls may hold it, and the check whether it still answers. A process that stops
// reading its input looks healthy: it is pinged when a call has timed out. A remote server has no connection that ends with it: it is
// pinged when the connection of a request has failed.

import type { Clock } from '../../base/clock.ts';
import { type Evidence, type PeerError, ProcessError, type ProcessIdentity } from '../../base/errors.ts';
import { within } from '../../base/wait.ts';
import type { SupervisedStatus } from './server-state.ts';

/** A connected server: one process, or an address. */
export interface ServerLink<Client> {
  client: Client;
  revision: string | undefined;
  serverInfo: SupervisedStatus['serverInfo'];
  /** True for a server at an address: one request can fail while others continue. */
  isRemote?: boolean;
  /** Identifies the process. */
  process?: ProcessIdentity;
  /** True if results name the process that answered. */
  namesProcess?: boolean;
  /** The listener is called when the connection has ended, also if it ended earlier. It may be called twice. */
  onLost(listener: (cause: Error | undefined) => void): void;
  /** Remote servers only: called when the server may be gone although no request failed. */
  onDoubt?(listener: (error: PeerError) => void): void;
  /** Whether the server answers a ping in time. */
  isResponsive(timeoutMs: number): Promise<boolean>;
  evidence(): Evidence | undefined;
  /** Resolves when the whole process tree has exited. */
  close(): Promise<void>;
}

/** Limit of the ping that decides whether a remote server is reachable, if its entry sets none. */
const PRESENCE_MS = 30_000;
/** How long calls that were sent before a remote server was lost may continue. */
const DRAIN_MS = 5_000;

export class Link<Client> {
  readonly server: ServerLink<Client>;
  readonly client: Client;
  readonly generation: number;
  /** Settles when the link must no longer be used. */
  readonly over: Deferred<void> = deferred();
  /** Why the host ended the process although it was wanted. */
  cause: Error | undefined;
  /** Why the process is being ended, as text. */
  endReason: string | undefined;
  /** Number of calls begun, and number of calls failed. */
  begun = 0;
  #failures = 0;
  #answers = 0;
  #asked = false;
  #presence: Promise<boolean> | undefined;
  #drained: Deferred<void> | undefined;

  constructor(server: ServerLink<Client>, generation: number) {
    this.server = server;
    this.client = server.client;
    this.generation = generation;
  }

  /** Counts an answer and returns it. One function for all calls, because it is on the hot path. */
  readonly answered = <T>(value: T): T => {
    this.#answers++;
    if (this.#drained) this.#settled();
    return value;
  };

  failed(): void {
    this.#failures++;
    this.#settled();
  }

  /**
   * The reason to end the process, if it answers neither a ping nor any call. A server that works sequentially answers earlier calls
   * before the ping. Only one ping is pending at a time.
   */
  async whyDeaf(timeoutMs: number): Promise<Error | undefined> {
    if (this.#asked || timeoutMs === 0) return undefined;
    const before = this.#answers;
    this.#asked = true;
    const isResponsive = await this.server.isResponsive(timeoutMs);
    this.#asked = false;
    return isResponsive || this.#answers !== before ? undefined : unresponsive(timeoutMs, this.server.evidence());
  }

  /** Whether a remote server answers a ping. One ping serves all calls that wait for the result. */
  isThere(timeoutMs: number): Promise<boolean> {
    this.#presence ??= this.server.isResponsive(timeoutMs || PRESENCE_MS).finally(() => {
      this.#presence = undefined;
    });
    return this.#presence;
  }

  /** Resolves when the whole process tree has exited. Pending calls of a remote server may still be answered first. */
  async end(clock: Clock): Promise<void> {
    if (this.server.isRemote && this.cause) {
      this.#drained = deferred();
      this.#settled();
      await within(clock, DRAIN_MS, this.#drained.promise);
    }
    await this.server.close();
  }

  /** Stops waiting for pending calls. */
  cut(): void {
    this.#drained?.resolve();
  }

  #settled(): void {
    if (this.begun <= this.#answers + this.#failures) this.#drained?.resolve();
  }
}

function unresponsive(timeoutMs: number, evidence: Evidence | undefined): ProcessError {
  const message = `The server does not answer: a call timed out, and a ping was not answered within ${timeoutMs} ms`;
  return new ProcessError('PROCESS_UNRESPONSIVE', message, {
    evidence,
    hint: 'It is started or connected again. If it is only busy, raise "pingTimeoutMs" in its entry of the config; 0 turns this off.',
  });
}

export interface Deferred<T> {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: Error) => void;
}

export function deferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  // Prevents an unhandled rejection if it fails before anything awaits it.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
