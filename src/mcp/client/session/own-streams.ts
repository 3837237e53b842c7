// 2026-07-28: members of the filter of `subscriptions/listen` that MCP does not define cannot be joined with those of
// other watchers. Each watcher of such members has a stream of its own, and gets exactly the notifications on it.

import type { Clock } from '../../../base/clock.ts';
import { PeerError } from '../../../base/errors.ts';
import { isObject, metaOf } from '../../../base/json-object.ts';
import { numberInText, type RequestId } from '../../../wire/jsonrpc/message.ts';
import type { Peer } from '../../../wire/jsonrpc/peer.ts';
import { type RequestEnvelope, SUBSCRIPTION_ID } from '../../meta.ts';
import type { Params, Watcher } from '../../service.ts';
import { notAcknowledged } from './listening.ts';

interface OwnStream {
  readonly watcher: Watcher;
  acknowledged(members: unknown): void;
  over(error: unknown): void;
}

export class OwnStreams {
  readonly #peer: Peer;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #streams = new Map<unknown, OwnStream>();

  constructor(peer: Peer, clock: Clock, timeoutMs: number) {
    this.#peer = peer;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** Resolves when the stream is acknowledged, with a function that ends it. `ended` is called if it ends otherwise. */
  open(watcher: Watcher, envelope: RequestEnvelope, ended: () => void): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const abort = new AbortController();
      let id: RequestId | undefined;
      let isAcknowledged = false;
      const timer = this.#clock.after(this.#timeoutMs, () => {
        stream.over(notAcknowledged(this.#timeoutMs));
        abort.abort('not acknowledged in time');
      });
      const stream: OwnStream = {
        watcher,
        acknowledged: (members) => {
          if (isAcknowledged) return;
          isAcknowledged = true;
          timer.cancel();
          watcher.accepted?.(isObject(members) ? members : {});
          resolve(() => {
            this.#streams.delete(id);
            abort.abort('no longer wanted');
          });
        },
        over: (error) => {
          timer.cancel();
          if (!this.#streams.delete(id)) return; // this program ended the stream
          if (isAcknowledged) ended();
          else reject(error);
        },
      };
      const options = {
        timeoutMs: Number.POSITIVE_INFINITY,
        signal: abort.signal,
        numbered: (given: RequestId) => {
          id = given;
          this.#streams.set(id, stream);
        },
      };
      const params = { _meta: envelope, notifications: watcher.filter.further };
      const over = (error?: unknown) =>
        stream.over(error ?? new PeerError('RESULT_INVALID', 'The server ended the stream'));
      this.#peer.request('subscriptions/listen', params, options).then(() => over(), over);
    });
  }

  /** Like `cancelled` and `notified`, returns false for a notification that belongs to another stream or to no stream. */
  acknowledged(params: Params | undefined): boolean {
    const stream = this.#of(params);
    stream?.acknowledged(params?.notifications);
    return stream !== undefined;
  }

  /** A server ends a stream with `notifications/cancelled` or with an answer. */
  cancelled(id: unknown): boolean {
    const stream = this.#streams.get(numberInText(id) ?? id);
    stream?.over(new PeerError('RESULT_INVALID', 'The server cancelled the stream'));
    return stream !== undefined;
  }

  notified(method: string, params: Params | undefined): boolean {
    const stream = this.#of(params);
    stream?.watcher.notified(method, params);
    return stream !== undefined;
  }

  #of(params: Params | undefined): OwnStream | undefined {
    if (this.#streams.size === 0) return undefined;
    const id = subscriptionOf(params);
    return this.#streams.get(numberInText(id) ?? id ?? this.#peer.channel.receivedFor);
  }
}

/** The id of the `subscriptions/listen` request that the notification belongs to. Some servers write a number as text. */
export function subscriptionOf(params: Params | undefined): RequestId | undefined {
  return metaOf(params)?.[SUBSCRIPTION_ID] as RequestId | undefined;
}
