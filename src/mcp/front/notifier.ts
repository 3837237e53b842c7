// The notifications of one connection. A client that reads is sent each as it comes. While too much waits for it
// (`setFull`), nothing is added: of each call's progress the newest is kept, of equal changes one up to a limit, and all else
// is counted. When it has caught up it gets those, and the count.

import type { InboundCall } from '../../jsonrpc/inbound.ts';
import type { Params } from '../service.ts';
import type { RequestId } from '../types.ts';

/** `request`: the id of the request that the notification belongs to. */
type Send = (method: string, params: Params | undefined, request?: RequestId) => void;

const PROGRESS = 'notifications/progress';
const LOG = 'notifications/message';
/** As many as a client can subscribe to. */
const MOST_CHANGE_CHARS = 32 * 1024 * 1024;

export class Notifier {
  readonly #send: Send;
  #isFull = false;
  /** What waits. Made on first use: most clients read. */
  #progress: Map<InboundCall, Params> | undefined;
  #changes: Map<string, { method: string; params: Params | undefined }> | undefined;
  #changeChars = 0;
  #unsent = 0;
  /** Of the last log message among them: a level that the client wants. */
  #unsentLevel: unknown;

  constructor(send: Send) {
    this.#send = send;
  }

  progress(call: InboundCall, params: Params): void {
    if (!this.#isFull) return this.#send(PROGRESS, params, call.id);
    this.#progress ??= new Map();
    this.#progress.set(call, params);
  }

  log(params: Params, call?: InboundCall): void {
    if (!this.#isFull) return this.#send(LOG, params, call?.id);
    this.#unsent++;
    this.#unsentLevel = params.level;
  }

  /** Something has changed, and the client will look again: to say it once is enough. */
  changed(method: string, params?: Params): void {
    if (!this.#isFull) return this.#send(method, params);
    this.#changes ??= new Map();
    const key = JSON.stringify([method, params]);
    if (this.#changes.has(key)) return;
    if (this.#changeChars + key.length > MOST_CHANGE_CHARS) {
      this.#unsent++;
      return;
    }
    this.#changes.set(key, { method, params });
    this.#changeChars += key.length;
  }

  /** One that a request calls for. It is sent in any case: requests are not read while too much waits. */
  reply(method: string, params: Params): void {
    this.#send(method, params);
  }

  setFull(isFull: boolean): void {
    this.#isFull = isFull;
    if (isFull) return;
    for (const [call, params] of this.#progress ?? [])
      if (!call.settled && !call.cancelled) this.#send(PROGRESS, params, call.id);
    this.#progress = undefined;
    for (const { method, params } of this.#changes?.values() ?? []) this.#send(method, params);
    this.#changes = undefined;
    this.#changeChars = 0;
    if (this.#unsent === 0) return;
    const data = `${this.#unsent} notifications were not sent: the client did not read`;
    this.#send(LOG, { level: this.#unsentLevel ?? 'warning', data });
    this.#unsent = 0;
    this.#unsentLevel = undefined;
  }
}
