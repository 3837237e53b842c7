// The messages of a fleet over one connection to NATS. `nats-link.ts` describes what nats.js does with them when the connection is
// lost.

import type { Msg } from '@nats-io/transport-node';
import { PeerError } from '../../../base/errors.ts';
import type { ClusterNetwork, Directory, Leases, NodeMessage, Subscription } from '../cluster-network.ts';
import type { NatsLink } from './nats-link.ts';

const NO_RESPONDERS = 503;
/** Estimated overhead of a message. */
const MESSAGE_BYTES = 200;
/** After this many bytes, NATS is asked to confirm that it has received them. */
const ASK_BYTES = 1 << 20;
/** Publishing waits while more bytes are unconfirmed. */
const MOST_UNCONFIRMED_BYTES = 8 << 20;

interface Parts {
  fleet: string;
  directory: Directory;
  leases: Leases;
}

export class NatsNetwork implements ClusterNetwork {
  readonly fleet: string;
  readonly directory: Directory;
  readonly leases: Leases;
  readonly #link: NatsLink;
  /** Published bytes that NATS has not confirmed. Strings count by their length. */
  #unconfirmedBytes = 0;
  #confirming: Promise<void> | undefined;

  constructor(link: NatsLink, { fleet, directory, leases }: Parts) {
    this.#link = link;
    this.fleet = fleet;
    this.directory = directory;
    this.leases = leases;
  }

  get maxBytes(): number {
    return this.#link.maxBytes;
  }

  get isConnected(): boolean {
    return this.#link.isConnected;
  }

  get onConnection(): ((isConnected: boolean, text: string) => void) | undefined {
    return this.#link.onChange;
  }

  set onConnection(listener: ((isConnected: boolean, text: string) => void) | undefined) {
    this.#link.onChange = listener;
  }

  publish(subject: string, data: Uint8Array | string, reply?: string): Promise<void> | undefined {
    if (!this.#link.isConnected) return undefined;
    try {
      this.#link.connection.publish(subject, data, reply === undefined ? undefined : { reply });
    } catch (error) {
      throw this.#link.explain(error, `Publishing ${data.length} bytes`);
    }
    this.#unconfirmedBytes += data.length + MESSAGE_BYTES;
    if (this.#unconfirmedBytes < ASK_BYTES) return undefined;
    this.#confirming ??= this.#confirm();
    return this.#unconfirmedBytes > MOST_UNCONFIRMED_BYTES ? this.#whenConfirmed() : undefined;
  }

  subscribe(subject: string, listener: (message: NodeMessage) => void): Subscription {
    const link = this.#link;
    const subscription = link.connection.subscribe(subject, {
      callback(error, message) {
        // Subscriptions that are not permitted are reported with the state of the connection.
        if (error) return;
        try {
          listener(new NatsMessage(message));
        } catch (failure) {
          link.failed(subject, failure);
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
    const { connection, packages } = this.#link;
    if (!this.isConnected)
      throw new PeerError('NOT_SENT', `${subject} cannot be asked: there is no connection to NATS`);
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
      throw this.#link.explain(error, `Asking ${subject}`);
    }
  }

  flush(): Promise<void> {
    return this.#link.attempt('Sending', () => this.#link.connection.flush());
  }

  close(): Promise<void> {
    return this.#link.close();
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
      await this.#link.connection.flush();
      this.#unconfirmedBytes -= bytes;
    } catch {
      // The connection was lost: nothing is pending any more.
      this.#unconfirmedBytes = 0;
    } finally {
      this.#confirming = undefined;
    }
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
