// The messages of a fleet over one connection to NATS.

import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { PeerError } from '../../base/errors.ts';
import type { Directory, Fabric, Leases, Message, Subscription } from '../fabric.ts';
import type { NatsPackages } from './load-nats.ts';

const NO_RESPONDERS = 503;

interface Parts {
  fleet: string;
  directory: Directory;
  leases: Leases;
}

export class NatsFabric implements Fabric {
  onConnection: ((isConnected: boolean, text: string) => void) | undefined;
  readonly fleet: string;
  readonly directory: Directory;
  readonly leases: Leases;
  isConnected = true;
  readonly #connection: NatsConnection;
  readonly #packages: NatsPackages;

  constructor(connection: NatsConnection, packages: NatsPackages, { fleet, directory, leases }: Parts) {
    this.#connection = connection;
    this.#packages = packages;
    this.fleet = fleet;
    this.directory = directory;
    this.leases = leases;
    void this.#follow();
  }

  get maxBytes(): number {
    return this.#connection.info!.max_payload;
  }

  publish(subject: string, data: Uint8Array | string, reply?: string): Promise<void> | undefined {
    this.#connection.publish(subject, data, reply === undefined ? undefined : { reply });
    return undefined;
  }

  subscribe(subject: string, listener: (message: Message) => void, group?: string): Subscription {
    const subscription = this.#connection.subscribe(subject, {
      queue: group,
      callback: (error, message) => {
        if (!error) listener(messageOf(message));
      },
    });
    return { end: () => subscription.drain() };
  }

  async request<T>(subject: string, value: unknown, timeoutMs: number): Promise<T> {
    try {
      const answer = await this.#connection.request(subject, JSON.stringify(value), { timeout: timeoutMs });
      return answer.json<T>();
    } catch (error) {
      const { NoRespondersError, TimeoutError, RequestError } = this.#packages.transport;
      const isNone = error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders());
      if (isNone) throw new PeerError('NOT_SENT', `Nothing in the fleet listens at ${subject}`, { cause: error });
      if (error instanceof TimeoutError) {
        throw new PeerError('REQUEST_TIMEOUT', `${subject} did not answer within ${timeoutMs} ms`, { cause: error });
      }
      throw error;
    }
  }

  flush(): Promise<void> {
    return this.#connection.flush();
  }

  async close(): Promise<void> {
    await this.#connection.drain();
  }

  async #follow(): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type === 'disconnect') this.#changed(false, `The connection to NATS (${status.server}) is lost`);
      if (status.type === 'reconnect') this.#changed(true, `Connected to NATS again (${status.server})`);
    }
  }

  #changed(isConnected: boolean, text: string): void {
    this.isConnected = isConnected;
    this.onConnection?.(isConnected, text);
  }
}

function messageOf(message: Msg): Message {
  return {
    subject: message.subject,
    reply: message.reply,
    data: message.data,
    isUndeliverable: message.headers?.code === NO_RESPONDERS && message.data.length === 0,
  };
}
