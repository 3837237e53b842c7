// One connection to NATS: whether it is up, and the messages about it. Behaviour of nats.js 3.4 that other files rely on:
// - Data in the socket when the connection is lost is not sent again. Messages published while there is no connection are dropped
//   at the next attempt to connect, without an error. Subscriptions are restored. So each message is sent at most once.
// - A request that is pending when the connection is lost ends only by its timeout. `attempt` ends it at once.
// - An exception of a listener ends reading from the socket, so every listener is called with a `catch`.
// - Listeners are called synchronously in the order of arrival: only what they keep can grow here.
// - `info` is undefined while it connects.
// - A connection whose pings are not answered is closed only after everything was sent, so never: see `#destroySocket`.

import type { NatsConnection, Status } from '@nats-io/transport-node';
import type { Clock, Timer } from '../../../base/clock.ts';
import { PeerError, type StandpipeError, toError } from '../../../base/errors.ts';
import { within } from '../../../base/wait.ts';
import { explainFailure } from './explain-failure.ts';
import type { NatsPackages } from './load-nats.ts';

/** Limit of the wait for NATS in an orderly close. */
const DRAIN_MS = 2_000;
const TICK_MS = 1_000;
/** A process that was blocked for this long reports it, because NATS closes connections that do not read. */
const STALLED_MS = 3_000;

interface LinkOptions {
  /** The addresses, for messages. */
  where: string;
  inboxPrefix: string;
  clock: Clock;
}

export class NatsLink {
  readonly clock: Clock;
  isConnected = true;
  /** Called with a text about the connection, and whether it is up. */
  onChange: ((isConnected: boolean, text: string) => void) | undefined;
  readonly connection: NatsConnection;
  readonly packages: NatsPackages;
  /** Prefix of the subjects that only this program subscribes to. */
  readonly inboxPrefix: string;
  /** Maximum length of a message. */
  maxBytes: number;
  readonly #where: string;
  readonly #onReconnect = new Set<() => void>();
  readonly #attempts = new Set<(error: Error) => void>();
  #ticks: Timer | undefined;
  #lastTickMs = 0;
  #isClosing = false;
  #lastRefusal = '';

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
      const lost = () => reject(this.#disconnected(what, ' It is not known whether it was done.'));
      this.#attempts.add(lost);
      run()
        .then(resolve, fail)
        .finally(() => this.#attempts.delete(lost));
    });
  }

  explain(error: unknown, what: string): StandpipeError {
    return explainFailure(error, this.packages, this.#where, what);
  }

  say(text: string): void {
    this.onChange?.(this.isConnected, text);
  }

  /** Reports an exception of a listener. */
  failed(subject: string, error: unknown): void {
    this.say(`The listener of ${subject} failed: ${toError(error).stack}`);
  }

  /** Sends pending messages, if NATS accepts them, and closes. */
  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    if (this.isConnected)
      await within(
        this.clock,
        DRAIN_MS,
        this.connection.drain().catch(() => undefined),
      );
    await this.connection.close();
    this.#ticks?.cancel();
  }

  async #follow(): Promise<void> {
    for await (const status of this.connection.status()) this.#take(status);
  }

  #take(status: Status): void {
    switch (status.type) {
      case 'disconnect':
        if (this.isConnected)
          this.#lost(`The connection to NATS (${status.server}) is lost. It is tried again until it is there`);
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
        this.#refused(`NATS refused something: ${status.error.message}`);
        break;
    }
  }

  /** Reported once, not for each attempt to connect. */
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

  /** nats.js waits until the socket has sent everything before it closes it. If the peer is gone, that never happens. */
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
      this.say(`This process did not run for ${seconds} s. NATS closes connections that do not read`);
    });
    this.#ticks.keepAlive(false);
  }

  #disconnected(what: string, more = ''): PeerError {
    return new PeerError(
      'FLEET_UNREACHABLE',
      `${what} failed: there is no connection to NATS at ${this.#where}.${more}`,
      {
        hint: 'It is made again as soon as NATS can be reached.',
      },
    );
  }
}
