// Observes the clients of a gateway: their descriptions, the messages both ways, and the requests to servers that their
// requests cause. An observer changes nothing. Without an observer, none of these facts is computed.

import type { ClientFacts, ClientIdentity, WireName } from '../service.ts';
import type { RequestId } from '../types.ts';

/** Receives the events of a client adapter. */
export interface ClientObserver {
  /** Called with the description of the client for each request that carries one. */
  introduced(facts: ClientFacts): void;
  /**
   * A request was sent to a server because of a request from the client, or (`fromServer`) a server asked a question
   * because of it.
   */
  linked(request: RequestId, wire: WireName, direction: 'toServer' | 'fromServer', id: RequestId): void;
  /** A question is sent to the client because of its request. */
  asked(request: RequestId, id: RequestId): void;
  /** The connection, session or stand-alone request has ended. */
  closed(): void;
}

/** Additional events of a gateway. `exchange` is the number of the HTTP request. */
export interface ObservedClient extends ClientObserver {
  nextExchange(): number;
  fromClient(text: string, exchange?: number): void;
  toClient(text: string, exchange?: number, status?: number): void;
  /** The answer to a stand-alone request is complete. */
  answered(): void;
}

export interface ClientOrigin {
  /** The kind of gateway: `socket`, `http` or `http+sse`. */
  door: string;
  /** The client as a stand-alone request describes it. */
  alone?: { revision?: unknown; info?: unknown };
}

/** Called once for each connection, session or stand-alone request. */
export type ObserveClient = (client: ClientIdentity, origin: ClientOrigin) => ObservedClient;
