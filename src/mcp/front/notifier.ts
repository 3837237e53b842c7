// The notifications of one connection. A client that reads is sent each as it comes. While too much waits for it (`setFull`),
// nothing is added: of each call's progress the newest is kept, of the changes of one subject one, and all else is counted. When
// the client has caught up it gets those, and the count. What is kept is no more than the client's calls and subscriptions, which
// are counted where they begin: nothing in it has a size that the server chooses.

import type { InboundCall } from '../../jsonrpc/inbound.ts';
import type { Params } from '../service.ts';
import type { RequestId } from '../types.ts';

/** `request`: the id of the request that the notification belongs to. Rejects if it was not sent; `setFull` comes before that. */
type Send = (method: string, params: Params | undefined, request?: RequestId) => Promise<void> | undefined;

/** What a client was promised to be told of, and the notification that tells it. One object for each as long as it is promised. */
export interface Subject {
  readonly method: string;
  readonly params: Params | undefined;
}

const PROGRESS = 'notifications/progress';
const LOG = 'notifications/message';
/** Of progress that is kept. */
const MOST_MESSAGE_CHARS = 1024;

export class Notifier {
  readonly #send: Send;
  #isFull = false;
  /** What waits. Made on first use: most clients read. */
  #progress: Map<InboundCall, Params> | undefined;
  #changes: Set<Subject> | undefined;
  #unsent = 0;
  /** Of the last log message among them: a level that the client wants. */
  #unsentLevel: unknown;

  constructor(send: Send) {
    this.#send = send;
  }

  progress(call: InboundCall, params: Params): void {
    // What is refused is not missed: more follows, or the answer.
    if (!this.#isFull) return void this.#send(PROGRESS, params, call.id)?.catch(() => undefined);
    this.#progress ??= new Map();
    if (!this.#progress.has(call)) void call.whenSettled.then(() => this.#progress?.delete(call));
    this.#progress.set(call, withoutLongParts(params));
  }

  log(params: Params, call?: InboundCall): void {
    if (this.#isFull) this.#count(params.level);
    else this.#send(LOG, params, call?.id)?.catch(() => this.#count(params.level));
  }

  /** The subject has changed, and the client will look again: to say it once is enough. Undefined: nothing was promised. */
  changed(method: string, params: Params | undefined, subject: () => Subject | undefined): void {
    if (this.#isFull) this.#keep(subject());
    else this.#send(method, params)?.catch(() => this.#keep(subject()));
  }

  /** The client is told nothing more of it. */
  ended(subject: Subject): void {
    this.#changes?.delete(subject);
  }

  /** One that a request calls for. It is sent in any case: requests are not read while too much waits. */
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
