// The notifications of one connection. A client that reads is sent each as it comes. While too much waits for it
// (`setFull`), nothing is added: of each call's progress the newest is kept, of equal changes one, and log messages are
// counted. When it has caught up it gets those, and the count. So notifications are bounded by what the client itself has
// asked for: its calls and its subscriptions.

import type { InboundCall } from '../../jsonrpc/inbound.ts';
import type { Params } from '../service.ts';
import type { RequestId } from '../types.ts';

/** `request`: the id of the request that the notification belongs to. */
type Send = (method: string, params: Params | undefined, request?: RequestId) => void;

const PROGRESS = 'notifications/progress';
const LOG = 'notifications/message';

export class Notifier {
  readonly #send: Send;
  #isFull = false;
  #progress = new Map<InboundCall, Params>();
  #changes = new Map<string, { method: string; params: Params | undefined }>();
  #unsentLogs = 0;
  /** Of the last of them: a level that the client wants. */
  #unsentLevel: unknown;

  constructor(send: Send) {
    this.#send = send;
  }

  progress(call: InboundCall, params: Params): void {
    if (this.#isFull) this.#progress.set(call, params);
    else this.#send(PROGRESS, params, call.id);
  }

  log(params: Params, call?: InboundCall): void {
    if (!this.#isFull) return this.#send(LOG, params, call?.id);
    this.#unsentLogs++;
    this.#unsentLevel = params.level;
  }

  /** Something has changed, and the client will look again: to say it once is enough. */
  changed(method: string, params?: Params): void {
    if (this.#isFull) this.#changes.set(JSON.stringify([method, params]), { method, params });
    else this.#send(method, params);
  }

  /** One that a request calls for. It is sent in any case: requests are not read while too much waits. */
  reply(method: string, params: Params): void {
    this.#send(method, params);
  }

  setFull(isFull: boolean): void {
    this.#isFull = isFull;
    if (isFull) return;
    for (const [call, params] of this.#progress)
      if (!call.settled && !call.cancelled) this.#send(PROGRESS, params, call.id);
    this.#progress.clear();
    for (const { method, params } of this.#changes.values()) this.#send(method, params);
    this.#changes.clear();
    if (this.#unsentLogs === 0) return;
    const data = `${this.#unsentLogs} log messages were not sent: the client did not read`;
    this.#unsentLogs = 0;
    this.#send(LOG, { level: this.#unsentLevel, data });
  }
}
