// What sees the clients of a door: what each says about itself, the messages both ways, and which requests to servers its
// requests lead to. It changes nothing. Without one, none of this costs anything.

import type { ClientFacts, ClientIdentity, WireName } from '../service.ts';
import type { RequestId } from '../types.ts';

/** What a front reports about its client. */
export interface ClientObserver {
  /** What the client says about itself, with each request that says it. */
  introduced(facts: ClientFacts): void;
  /** A request was sent to a server because of a request of the client, or (`fromServer`) a server has asked because of it. */
  linked(request: RequestId, wire: WireName, direction: 'toServer' | 'fromServer', id: RequestId): void;
  /** The client is asked because of its request. */
  asked(request: RequestId, id: RequestId): void;
  /** The connection, session or request that came alone is over. */
  closed(): void;
}

/** What a door reports in addition. `exchange`: the number of the HTTP request. */
export interface ObservedClient extends ClientObserver {
  nextExchange(): number;
  fromClient(text: string, exchange?: number): void;
  toClient(text: string, exchange?: number, status?: number): void;
  /** The answer to a request that came alone is complete. */
  answered(): void;
}

export interface ClientOrigin {
  /** `socket`, `http`, `http+sse`. */
  door: string;
  /** Of a request that comes alone: what it says about itself. */
  alone?: { revision?: unknown; info?: unknown };
}

/** Called once for each connection, session or request that comes alone. */
export type ObserveClient = (client: ClientIdentity, origin: ClientOrigin) => ObservedClient;
