// One connected process of a server, and the check whether it still answers. A process that stops reading its input still runs, so it is
// pinged when a call has timed out. The loss of a remote server closes no connection, so it is pinged when a request has failed.

import type { Clock } from '../../base/clock.ts';
import { type Evidence, type PeerError, ProcessError, type ProcessIdentity } from '../../base/errors.ts';
import { within } from '../../base/wait.ts';
import type { SupervisedStatus } from './server-state.ts';

export interface ServerLink<Client> {
  client: Client;
  revision: string | undefined;
  serverInfo: SupervisedStatus['serverInfo'];
  isRemote?: boolean;
  process?: ProcessIdentity;
  /** Random name of the process run, in ids that the process assigned. Undefined if ids outlive the connection. */
  run?: string | undefined;
  /** True if results name the process that answered. */
  namesProcess?: boolean;
  /** The listener is called when the connection has ended, or at once if it ended earlier. It may be called twice. */
  onLost(listener: (cause: Error | undefined) => void): void;
  /** Remote servers only: called when the server may be unreachable although no request failed. */
  onDoubt?(listener: (error: PeerError) => void): void;
  isResponsive(timeoutMs: number): Promise<boolean>;
  evidence(): Evidence | undefined;
  /** Resolves when the whole process tree has exited. */
  close(): Promise<void>;
}

/** Limit of the ping to a remote server, if its entry sets none. */
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
  /** Set when the process is being ended. */
  endReason: string | undefined;
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

  /** Counts an answer and returns it. One function for all calls, for speed. */
  readonly answered = <T>(value: T): T => {
    this.#answers++;
    if (this.#drained) this.#settled();
    return value;
  };

  failed(): void {
    this.#failures++;
    this.#settled();
  }

  /** The reason to end the process, if it answers neither a ping nor any call. A sequential server answers earlier calls before the ping. */
  async whyDeaf(timeoutMs: number): Promise<Error | undefined> {
    if (this.#asked || timeoutMs === 0) return undefined;
    const before = this.#answers;
    this.#asked = true;
    const isResponsive = await this.server.isResponsive(timeoutMs);
    this.#asked = false;
    return isResponsive || this.#answers !== before ? undefined : unresponsive(timeoutMs, this.server.evidence());
  }

  /** Whether a remote server answers a ping. Concurrent calls share one ping. */
  isThere(timeoutMs: number): Promise<boolean> {
    this.#presence ??= this.server.isResponsive(timeoutMs || PRESENCE_MS).finally(() => {
      this.#presence = undefined;
    });
    return this.#presence;
  }

  /** Resolves when the whole process tree has exited. A remote server may answer pending calls first. */
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
    hint: 'The host restarts or reconnects it. If it is only busy, raise "pingTimeoutMs" in its config entry; 0 turns this check off.',
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
  // The promise may fail before anything awaits it.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
