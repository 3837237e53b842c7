// The notifications of one connection. A client that reads gets each one at once. While too much is queued for it
// (`setFull`), nothing is added: the newest progress of each call is kept, one change per subject, and all others are
// counted. When the client has caught up, it gets those and the count. The kept data is bounded by the client's calls
// and subscriptions, which are counted where they begin: its size never depends on the server.

import type { InboundCall } from '../../wire/jsonrpc/inbound.ts';
import type { Params } from '../service.ts';
import type { RequestId } from '../types.ts';

/**
 * `request` is the id of the request that the notification belongs to. Rejects if it was not sent; `setFull` is called
 * before that.
 */
type Send = (method: string, params: Params | undefined, request?: RequestId) => Promise<void> | undefined;

/** A subject that the client watches, with the notification of a change. The same object is used for as long as it is watched. */
export interface Subject {
  readonly method: string;
  readonly params: Params | undefined;
}

const PROGRESS = 'notifications/progress';
const LOG = 'notifications/message';
/** The longest message of kept progress. */
const MOST_MESSAGE_CHARS = 1024;

export class Notifier {
  readonly #send: Send;
  #isFull = false;
  /** Notifications that are kept. Created on first use: most clients read. */
  #progress: Map<InboundCall, Params> | undefined;
  #changes: Set<Subject> | undefined;
  #unsent = 0;
  /** The level of the last unsent log message. The client accepts messages of this level. */
  #unsentLevel: unknown;

  constructor(send: Send) {
    this.#send = send;
  }

  progress(call: InboundCall, params: Params): void {
    // Lost progress does not matter: more progress or the end follows.
    if (!this.#isFull) return void this.#send(PROGRESS, params, call.id)?.catch(() => undefined);
    if (call.settled) return; // the task of the call continues, and its client may start any number of tasks: progress is not kept
    this.#progress ??= new Map();
    if (!this.#progress.has(call)) void call.whenSettled.then(() => this.#progress?.delete(call));
    this.#progress.set(call, withoutLongParts(params));
  }

  log(params: Params, call?: InboundCall): void {
    if (this.#isFull) this.#count(params.level);
    else this.#send(LOG, params, call?.id)?.catch(() => this.#count(params.level));
  }

  /**
   * Reports a change of the subject. One notification is enough, because the client reads the subject again. If
   * `subject` returns undefined, the client does not watch it.
   */
  changed(method: string, params: Params | undefined, subject: () => Subject | undefined): void {
    if (this.#isFull) this.#keep(subject());
    else this.#send(method, params)?.catch(() => this.#keep(subject()));
  }

  /** Call this when the client no longer watches the subject. */
  ended(subject: Subject): void {
    this.#changes?.delete(subject);
  }

  /** Sends a notification that a request requires. It is never dropped: requests are not read while too much is queued. */
  reply(method: string, params: Params): void {
    this.#send(method, params)?.catch(() => undefined);
  }

  setFull(isFull: boolean): void {
    this.#isFull = isFull;
    for (const [call, params] of this.#progress ?? []) {
      if (this.#isFull) return;
      this.#progress!.delete(call);
      if (!call.settled && !call.cancelled) this.progress(call, params);
    }
    for (const subject of this.#changes ?? []) {
      if (this.#isFull) return;
      this.#changes!.delete(subject);
      this.changed(subject.method, subject.params, () => subject);
    }
    if (this.#isFull || this.#unsent === 0) return;
    const data = `${this.#unsent} notifications were not sent: the client did not read`;
    const level = this.#unsentLevel ?? 'warning';
    this.#unsent = 0;
    this.#unsentLevel = undefined;
    this.log({ level, data });
  }

  #keep(subject: Subject | undefined): void {
    if (!subject) return this.#count();
    this.#changes ??= new Set();
    this.#changes.add(subject);
  }

  #count(level?: unknown): void {
    this.#unsent++;
    this.#unsentLevel = level ?? this.#unsentLevel;
  }
}

function withoutLongParts({ progressToken, progress, total, message }: Params): Params {
  return {
    progressToken,
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && message.length <= MOST_MESSAGE_CHARS && { message }),
  };
}
