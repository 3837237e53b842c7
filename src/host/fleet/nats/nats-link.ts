// One connection to NATS: its messages, whether it is up, and reports about it. Behaviour of nats.js 3.4 that other files rely on:
// - Data in the socket when the connection is lost is not sent again. Messages published while there is no connection are dropped
//   at the next attempt to connect, without an error. Subscriptions are restored. So each message is sent at most once.
// - A request that is pending when the connection is lost ends only by its timeout. `attempt` ends it at once.
// - An exception of a listener ends reading from the socket, so every listener is called with a `catch`.
// - Listeners are called synchronously in the order of arrival: only what they keep can grow here.
// - `info` is undefined while it connects.
// - A connection whose pings are not answered is closed only after everything was sent, so never: see `#destroySocket`.

import type { Msg, NatsConnection, Status } from '@nats-io/transport-node';
import type { Clock, Timer } from '../../../base/clock.ts';
import { PeerError, type StandpipeError, toError } from '../../../base/errors.ts';
import { within } from '../../../base/wait.ts';
import type { NodeMessage, NodeMessaging, Subscription } from '../cluster-network.ts';
import type { NatsPackages } from './connect-nats.ts';
import { explainFailure } from './explain-failure.ts';

/** Limit of the wait for NATS in an orderly close. */
const DRAIN_MS = 2_000;
const TICK_MS = 1_000;
/** A process that was blocked for this long reports it, because NATS closes connections that do not read. */
const STALLED_MS = 3_000;

const NO_RESPONDERS = 503;
const MESSAGE_BYTES = 200;
/** After this many bytes, NATS is asked to confirm that it has received them. */
const ASK_BYTES = 1 << 20;
/** Publishing waits while more bytes are unconfirmed. */
const MOST_UNCONFIRMED_BYTES = 8 << 20;

interface LinkOptions {
  where: string;
  inboxPrefix: string;
  clock: Clock;
}

export class NatsLink implements NodeMessaging {
  readonly clock: Clock;
  isConnected = true;
  onConnection: ((isConnected: boolean, text: string) => void) | undefined;
  readonly connection: NatsConnection;
  readonly packages: NatsPackages;
  /** Prefix of the subjects that only this program subscribes to. */
  readonly inboxPrefix: string;
  maxBytes: number;
  readonly #where: string;
  readonly #onReconnect = new Set<() => void>();
  readonly #attempts = new Set<(error: Error) => void>();
  #ticks: Timer | undefined;
  #lastTickMs = 0;
  #isClosing = false;
  #lastRefusal = '';
  /** Published bytes that NATS has not confirmed. Strings count by their length. */
  #unconfirmedBytes = 0;
  #confirming: Promise<void> | undefined;

  constructor(connection: NatsConnection, packages: NatsPackages, { where, inboxPrefix, clock }: LinkOptions) {
    this.inboxPrefix = inboxPrefix;
    this.clock = clock;
    this.connection = connection;
    this.packages = packages;
    this.#where = where;
    this.maxBytes = connection.info!.max_payload;
    this.#lastTickMs = clock.nowMs();
    this.#tickLater();
    void this.#follow();
    void connection.closed().then((error) => this.#closed(error));
  }

  /** The listener is called after each reconnection, when NATS has the subscriptions again. */
  onReconnect(listener: () => void): () => void {
    this.#onReconnect.add(listener);
    return () => this.#onReconnect.delete(listener);
  }

  /** Runs a request to NATS. Rejects with FLEET_UNREACHABLE at once while there is no connection, and when it is lost. */
  attempt<T>(what: string, run: () => Promise<T>): Promise<T> {
    if (!this.isConnected) return Promise.reject(this.#disconnected(what));
    return new Promise((resolve, reject) => {
      const fail = (error: unknown) => reject(this.explain(error, what));
      const lost = () => reject(this.#disconnected(what, ' Its outcome is unknown.'));
      this.#attempts.add(lost);
      run()
        .then(resolve, fail)
        .finally(() => this.#attempts.delete(lost));
    });
  }

  publish(subject: string, data: Uint8Array | string, reply?: string): Promise<void> | undefined {
    if (!this.isConnected) return undefined;
    try {
      this.connection.publish(subject, data, reply === undefined ? undefined : { reply });
    } catch (error) {
      throw this.explain(error, `Publishing ${data.length} bytes`);
    }
    this.#unconfirmedBytes += data.length + MESSAGE_BYTES;
    if (this.#unconfirmedBytes < ASK_BYTES) return undefined;
    this.#confirming ??= this.#confirm();
    return this.#unconfirmedBytes > MOST_UNCONFIRMED_BYTES ? this.#whenConfirmed() : undefined;
  }

  subscribe(subject: string, listener: (message: NodeMessage) => void): Subscription {
    const subscription = this.connection.subscribe(subject, {
      callback: (error, message) => {
        // Subscriptions that are not permitted are reported with the state of the connection.
        if (error) return;
        try {
          listener(new NatsMessage(message));
        } catch (failure) {
          this.failed(subject, failure);
        }
      },
    });
    return {
      async end() {
        if (!subscription.isClosed()) await subscription.drain().catch(() => undefined);
      },
    };
  }

  async request<T>(subject: string, value: unknown, timeoutMs: number): Promise<T> {
    const { connection, packages } = this;
    if (!this.isConnected)
      throw new PeerError('NOT_SENT', `${subject} cannot be reached: there is no connection to NATS`);
    try {
      const answer = await connection.request(subject, JSON.stringify(value), { timeout: timeoutMs });
      return answer.json<T>();
    } catch (error) {
      const { NoRespondersError, TimeoutError, RequestError } = packages.transport;
      const isNone = error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders());
      if (isNone) throw new PeerError('NOT_SENT', `Nothing in the fleet listens at ${subject}`, { cause: error });
      if (error instanceof TimeoutError) {
        throw new PeerError('REQUEST_TIMEOUT', `${subject} did not answer within ${timeoutMs} ms`, { cause: error });
      }
      throw this.explain(error, `Asking ${subject}`);
    }
  }

  flush(): Promise<void> {
    return this.attempt('Sending', () => this.connection.flush());
  }

  explain(error: unknown, what: string): StandpipeError {
    return explainFailure(error, this.packages, this.#where, what);
  }

  say(text: string): void {
    this.onConnection?.(this.isConnected, text);
  }

  failed(subject: string, error: unknown): void {
    this.say(`The listener of ${subject} failed: ${toError(error).stack}`);
  }

  /** Sends pending messages, if NATS accepts them, and closes. */
  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    if (this.isConnected) {
      const drained = this.connection.drain().catch(() => undefined);
      await within(this.clock, DRAIN_MS, drained);
    }
    await this.connection.close();
    this.#ticks?.cancel();
  }

  async #whenConfirmed(): Promise<void> {
    while (this.#unconfirmedBytes > MOST_UNCONFIRMED_BYTES) {
      this.#confirming ??= this.#confirm();
      await this.#confirming;
    }
  }

  async #confirm(): Promise<void> {
    const bytes = this.#unconfirmedBytes;
    try {
      await this.connection.flush();
      this.#unconfirmedBytes -= bytes;
    } catch {
      // The connection was lost: nothing is pending.
      this.#unconfirmedBytes = 0;
    } finally {
      this.#confirming = undefined;
    }
  }

  async #follow(): Promise<void> {
    for await (const status of this.connection.status()) this.#take(status);
  }

  #take(status: Status): void {
    switch (status.type) {
      case 'disconnect':
        if (this.isConnected)
          this.#lost(`The connection to NATS (${status.server}) is lost. It is retried until it succeeds`);
        break;
      case 'reconnect':
        this.isConnected = true;
        void this.#resumed(status.server);
        break;
      case 'staleConnection':
        this.say('NATS does not answer pings. The connection is closed and opened again');
        this.#destroySocket();
        break;
      case 'error':
        this.#refused(`NATS reported an error: ${status.error.message}`);
        break;
    }
  }

  /** Reports a refusal once, not for each attempt to connect. */
  #refused(text: string): void {
    if (this.isConnected || text !== this.#lastRefusal) this.say(text);
    this.#lastRefusal = text;
  }

  /** NATS has the subscriptions again when it answers a ping. Until then, messages to this program may find no subscriber. */
  async #resumed(server: string): Promise<void> {
    try {
      await this.connection.flush();
    } catch {
      // The connection was lost again.
      return;
    }
    this.maxBytes = this.connection.info?.max_payload ?? this.maxBytes;
    this.say(`Connected to NATS again (${server})`);
    for (const listener of [...this.#onReconnect]) listener();
  }

  /** nats.js closes a socket only when all data is sent. If the peer no longer reads, that never happens. */
  #destroySocket(): void {
    const { protocol } = this.connection as { protocol?: { transport?: { socket?: { destroy(): void } } } };
    protocol?.transport?.socket?.destroy();
  }

  #lost(text: string): void {
    this.isConnected = false;
    if (!this.#isClosing) this.say(text);
    for (const fail of [...this.#attempts]) fail(new Error(text));
    this.#attempts.clear();
  }

  #closed(error: unknown): void {
    this.#ticks?.cancel();
    if (this.isConnected || !this.#isClosing)
      this.#lost(`The connection to NATS has ended${error ? `: ${toError(error).message}` : ''}`);
  }

  #tickLater(): void {
    this.#ticks = this.clock.after(TICK_MS, () => {
      const nowMs = this.clock.nowMs();
      const lateMs = nowMs - this.#lastTickMs - TICK_MS;
      this.#lastTickMs = nowMs;
      this.#tickLater();
      if (lateMs < STALLED_MS) return;
      const seconds = Math.round(lateMs / 100) / 10;
      this.say(`This process was blocked for ${seconds} s. NATS closes connections that do not read`);
    });
    this.#ticks.keepAlive(false);
  }

  #disconnected(what: string, more = ''): PeerError {
    const message = `${what} failed: there is no connection to NATS at ${this.#where}.${more}`;
    return new PeerError('FLEET_UNREACHABLE', message, {
      hint: 'The connection is restored as soon as NATS can be reached.',
    });
  }
}

/** Subject and reply are decoded on access. `data` is a view of the socket's read buffer. */
class NatsMessage implements NodeMessage {
  readonly data: Uint8Array;
  readonly isUndeliverable: boolean;
  readonly #message: Msg;

  constructor(message: Msg) {
    this.#message = message;
    this.data = message.data;
    this.isUndeliverable = this.data.length === 0 && message.headers?.code === NO_RESPONDERS;
  }

  get subject(): string {
    return this.#message.subject;
  }

  get reply(): string | undefined {
    return this.#message.reply || undefined;
  }
}
