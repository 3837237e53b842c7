// 2026-07-28: one `subscriptions/listen` for everything that the watchers of a session want. When that changes, a new
// one is opened, and the old one is cancelled only when the new one is acknowledged: notifications are neither lost nor
// duplicated. Over HTTP a stream can be cut while the connection stays open: it is opened again, and everything that
// may have been missed is reported as changed.

import type { Clock } from '../../../base/clock.ts';
import { PeerError, toError, UsageError } from '../../../base/errors.ts';
import { metaOf } from '../../../base/json-object.ts';
import type { Params } from '../../../wire/jsonrpc/inbound.ts';
import type { RequestId } from '../../../wire/jsonrpc/message.ts';
import { SUBSCRIPTION_ID } from '../../meta.ts';
import type { Watcher, WatchFilter } from '../../service.ts';
import type { SubscriptionFilter } from '../../types.ts';
import { listKinds, type Watchers } from '../../watchers.ts';
import type { Warn } from '../warnings.ts';
import { Reopening } from './reopening.ts';

interface Stream {
  /** The filter as text, to detect changes. */
  key: string;
  /** The id of the request, taken from the acknowledgement. */
  id: RequestId | undefined;
  /** The notifications that the server agreed to send. */
  honoured: SubscriptionFilter;
  abort: AbortController;
}

export interface ListeningOptions {
  clock: Clock;
  /** The maximum time for the acknowledgement. */
  timeoutMs: number;
  /** Opens a stream. Settles when the stream ends. */
  open: (notifications: SubscriptionFilter, signal: AbortSignal) => Promise<unknown>;
  /** HTTP: a server that stops ends its streams and may be restarted soon, so they are opened again. */
  reopens?: boolean | undefined;
  watchers: Watchers;
  /** The notifications that all watchers want together. */
  wanted: () => SubscriptionFilter;
  /** Whether the notifications that a watcher wants are part of `wanted`. */
  listens: (filter: WatchFilter) => boolean;
  /** Called when the server ended the stream. */
  ended: () => void;
  /** Called when the stream was cut and will be opened again. */
  cut: (error: PeerError) => void;
  /** Called with a filter of the notifications that may have been missed. */
  missed: (filter: SubscriptionFilter) => void;
  warn: Warn;
}

export class Listening {
  readonly #options: ListeningOptions;
  #stream: Stream | undefined;
  /** The stream that is not acknowledged yet. Only one at a time, because the acknowledgement is what reveals its id. */
  #opening: { stream: Stream; acknowledge: () => void; refuse: (error: unknown) => void } | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  /** The next update, which has not begun. It includes every change made before it begins. */
  #next: Promise<SubscriptionFilter> | undefined;
  readonly #again: Reopening;
  #isClosed = false;

  constructor(options: ListeningOptions) {
    this.#options = options;
    this.#again = new Reopening(options.clock, () => this.#reopen());
  }

  /** Resolves once the notifications are requested, with a function that stops the watch and never rejects. */
  async watch(watcher: Watcher): Promise<() => Promise<void>> {
    const { watchers, listens, warn } = this.#options;
    watchers.add(watcher);
    if (listens(watcher.filter)) {
      try {
        const honoured = new Set((await this.update()).resourceSubscriptions);
        const refused = watcher.filter.resourceSubscriptions?.find((uri) => !honoured.has(uri));
        if (refused !== undefined) throw notSent(refused);
      } catch (error) {
        watchers.delete(watcher);
        throw error;
      }
    }
    return async () => {
      if (!watchers.delete(watcher) || !listens(watcher.filter)) return;
      await this.update().catch((error: unknown) => {
        warn('listen-failed', `The server sends no more notifications about changes: ${toError(error).message}`);
      });
    };
  }

  /**
   * Requests the notifications wanted now. Resolves with those that the server agreed to send. Updates run one after
   * another; all changes during an update share the next one, because each sends the URIs of all watchers.
   */
  update(): Promise<SubscriptionFilter> {
    if (this.#next) return this.#next;
    const next = this.#turn.then(() => {
      this.#next = undefined;
      return this.#apply();
    });
    this.#next = next;
    this.#turn = next.catch(() => undefined); // the caller of `update` gets the error
    return next;
  }

  /** Call this when the connection has ended. */
  close(): void {
    this.#isClosed = true;
    this.#again.stop();
  }

  /** Whether a notification belongs to the current stream. */
  accepts(params: Params | undefined): boolean {
    const id = metaOf(params)?.[SUBSCRIPTION_ID];
    if (id !== undefined) return id === this.#stream?.id;
    if (this.#stream)
      this.#options.warn('news-unmarked', 'The server sends notifications without the id of their subscription');
    return this.#stream !== undefined;
  }

  /** Whether this is the id of the current stream. */
  isCurrent(id: RequestId | undefined): boolean {
    return id !== undefined && id === this.#stream?.id;
  }

  async #apply(): Promise<SubscriptionFilter> {
    const wanted = this.#options.wanted();
    const key = JSON.stringify(wanted);
    const before = this.#stream;
    if (before?.key === key) return before.honoured;
    if (key === '{}') {
      this.#stream = undefined;
      this.#again.stop();
    } else await this.#open(wanted, key);
    before?.abort.abort('no longer wanted in this form');
    const honoured = this.#stream?.honoured ?? {};
    this.#compare(wanted, honoured);
    return honoured;
  }

  /** A missing resource is an error of its watcher; a missing list is a warning. */
  #compare(wanted: SubscriptionFilter, honoured: SubscriptionFilter): void {
    const missing = listKinds.filter((kind) => wanted[`${kind}ListChanged`] && !honoured[`${kind}ListChanged`]);
    if (missing.length === 0) return;
    this.#options.warn('news-not-sent', `The server does not announce changes of these lists: ${missing.join(', ')}`);
  }

  #open(notifications: SubscriptionFilter, key: string): Promise<void> {
    const { clock, timeoutMs, open, reopens } = this.#options;
    const stream: Stream = { key, id: undefined, honoured: {}, abort: new AbortController() };
    return new Promise((resolve, reject) => {
      const timer = clock.after(timeoutMs, () => {
        this.#opening?.refuse(notAcknowledged(timeoutMs));
        stream.abort.abort('not acknowledged in time');
      });
      const done = (settle: () => void) => {
        if (this.#opening?.stream !== stream) return;
        this.#opening = undefined;
        timer.cancel();
        settle();
      };
      this.#opening = {
        stream,
        acknowledge: () =>
          done(() => {
            this.#stream = stream;
            if (this.#again.opened()) this.#options.missed(stream.honoured);
            resolve();
          }),
        refuse: (error) => done(() => reject(error)),
      };
      open(notifications, stream.abort.signal).then(
        () => this.#over(stream, refusedQuietly(), reopens ? endedByServer() : undefined),
        (error: unknown) => this.#over(stream, error),
      );
    });
  }

  /** Takes the parameters of `notifications/subscriptions/acknowledged`. */
  acknowledged(params: Params | undefined): void {
    const id = metaOf(params)?.[SUBSCRIPTION_ID] as RequestId | undefined;
    const stream = this.#opening?.stream ?? this.#stream;
    if (!stream) return;
    stream.id = id;
    stream.honoured = (params?.notifications as SubscriptionFilter | undefined) ?? {};
    this.#opening?.acknowledge();
  }

  /** A server ends a stream with this notification or with an answer. */
  cancelledByServer(requestId: unknown): void {
    const stream = requestId === this.#stream?.id ? this.#stream : this.#opening?.stream;
    if (!stream) return;
    this.#over(stream, refusedQuietly());
    stream.abort.abort('cancelled by the server'); // the request will not be answered
  }

  /** A stream has ended. `error`: why, for a stream that is not acknowledged yet; `after`: why, for an acknowledged one. */
  #over(stream: Stream, error: unknown, after = error): void {
    if (this.#opening?.stream === stream) return this.#opening.refuse(error);
    if (this.#stream !== stream) return; // this program ended the stream
    this.#stream = undefined;
    this.#failed(after);
  }

  #reopen(): void {
    this.update().catch((error: unknown) => this.#failed(error));
  }

  #failed(error: unknown): void {
    if (this.#isClosed || !isCut(error)) {
      this.#again.stop();
      return this.#options.ended();
    }
    this.#options.warn('listen-cut', `The stream of notifications was cut and is opened again: ${error.message}`);
    this.#again.failed();
    this.#options.cut(error);
  }
}

const cuts = new Set(['NOT_SENT', 'OUTCOME_UNKNOWN', 'CONNECTION_CLOSED', 'STREAM_FAILED', 'REQUEST_TIMEOUT']);

/**
 * Whether the connection was interrupted. An error answer from the server is not an interruption: a retry would fail
 * again.
 */
function isCut(error: unknown): error is PeerError {
  return error instanceof PeerError && cuts.has(error.code);
}

export function notAcknowledged(ms: number): PeerError {
  const error = new PeerError('REQUEST_TIMEOUT', `subscriptions/listen was not acknowledged within ${ms} ms`);
  return Object.assign(error, { waitedInFull: true });
}

/** If the server refuses the next stream, the subscription ends. */
function endedByServer(): PeerError {
  return new PeerError('CONNECTION_CLOSED', 'The server ended the stream');
}

function notSent(uri: string): UsageError {
  return new UsageError('NOT_SUPPORTED', `The server does not send updates of ${uri}`, {
    hint: 'The server acknowledged the subscription without this resource. `capabilities.resources.subscribe` shows whether it supports updates.',
  });
}

function refusedQuietly(): PeerError {
  return new PeerError('RESULT_INVALID', 'The server ended subscriptions/listen before acknowledging it');
}
