// One process of a server that was ready, for as long as calls may hold it; and whether it still listens. A process that stops
// reading lives on and looks well: it is asked when a call of it timed out. A remote server has no connection that ends
// with it: it is asked when the connection of a request failed.

import type { Clock } from '../../base/clock.ts';
import { type Evidence, type PeerError, ProcessError, type ProcessIdentity } from '../../base/errors.ts';
import { within } from '../../base/wait.ts';
import type { SupervisedStatus } from './server-state.ts';

/** A server that answers: one process, or an address, connected. */
export interface ServerLink<Client> {
  client: Client;
  revision: string | undefined;
  serverInfo: SupervisedStatus['serverInfo'];
  /** Remote: a request can fail while others go on. */
  isRemote?: boolean;
  /** Which process it is. */
  process?: ProcessIdentity;
  /** Called when the connection is over, also if that was before; perhaps twice. */
  onLost(listener: (cause: Error | undefined) => void): void;
  /** Of a remote server: called when it may be gone, although no request says so. */
  onDoubt?(listener: (error: PeerError) => void): void;
  /** Whether it answers a question of ours in time. */
  isResponsive(timeoutMs: number): Promise<boolean>;
  evidence(): Evidence | undefined;
  /** Resolves when nothing of the process is left. */
  close(): Promise<void>;
}

/** How long the question takes at most that decides whether a remote server is there, where its entry has no limit. */
const PRESENCE_MS = 30_000;
/** How long calls go on at most that were sent before a remote server was lost. */
const DRAIN_MS = 5_000;

export class Link<Client> {
  readonly server: ServerLink<Client>;
  readonly client: Client;
  readonly generation: number;
  /** Settles when it is no longer to be used. */
  readonly over: Waiting<void> = waiting();
  /** Why we ended it although it was wanted. */
  cause: Error | undefined;
  /** Why it is being ended, in words. */
  endReason: string | undefined;
  /** Calls that were begun, and those that have failed. */
  begun = 0;
  #failures = 0;
  #answers = 0;
  #asked = false;
  #presence: Promise<boolean> | undefined;
  #drained: Waiting<void> | undefined;

  constructor(server: ServerLink<Client>, generation: number) {
    this.server = server;
    this.client = server.client;
    this.generation = generation;
  }

  /** Passes an answer on, and counts it. One function for all calls: it is on the usual way of each. */
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
   * Why the process is of no more use, if it answers neither a question of ours nor any call. A server that works through
   * its calls one after another answers those before the question. Only one question is open at a time.
   */
  async whyDeaf(timeoutMs: number): Promise<Error | undefined> {
    if (this.#asked || timeoutMs === 0) return undefined;
    const before = this.#answers;
    this.#asked = true;
    const isResponsive = await this.server.isResponsive(timeoutMs);
    this.#asked = false;
    return isResponsive || this.#answers !== before ? undefined : unresponsive(timeoutMs, this.server.evidence());
  }

  /** Whether a remote server answers a question of ours, asked once for all calls that doubt it. */
  isThere(timeoutMs: number): Promise<boolean> {
    this.#presence ??= this.server.isResponsive(timeoutMs || PRESENCE_MS).finally(() => {
      this.#presence = undefined;
    });
    return this.#presence;
  }

  /** Resolves when nothing of it is left. A remote server may answer what it has before it goes. */
  async end(clock: Clock): Promise<void> {
    if (this.server.isRemote && this.cause) {
      this.#drained = waiting();
      this.#settled();
      await within(clock, DRAIN_MS, this.#drained.promise);
    }
    await this.server.close();
  }

  /** Calls are waited for no longer. */
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

/** A promise that others settle. */
export interface Waiting<T> {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: Error) => void;
}

export function waiting<T>(): Waiting<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  // It may fail before anything waits for it.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
