// Which events hold the lists of each server and its description, so that they can be read from the store: a tap and a recording have no
// server to ask. Bounded: the newest answers of each list of the newest servers.

import { methodsOfMcp } from '../../mcp/methods.ts';
import { type Exchange, keepNewest } from './exchange.ts';

/** The events of one answered request. */
export interface Answered {
  requestSeq: number;
  answerSeq: number;
}

const MOST_SERVERS = 1_000;
/** A list has at most this many pages. */
const MOST_PAGES = 200;

export class RecordedLists {
  readonly #byServer = new Map<string, Map<string, Answered[]>>();

  /** Must be called with each answered request to a server. */
  answered({ server, method, requestSeq, answerSeq, outcome }: Exchange): void {
    const facts = methodsOfMcp.get(method);
    if (outcome !== 'ok' || answerSeq === undefined || !(facts?.list || facts?.isHandshake)) return;
    const methods = this.#byServer.get(server) ?? new Map<string, Answered[]>();
    this.#byServer.delete(server); // the newest is the last
    this.#byServer.set(server, methods);
    methods.set(method, [...(methods.get(method) ?? []).slice(1 - MOST_PAGES), { requestSeq, answerSeq }]);
    keepNewest(this.#byServer, MOST_SERVERS);
  }

  /** The answers to this method, oldest first. */
  of(server: string, method: string): readonly Answered[] {
    return this.#byServer.get(server)?.get(method) ?? [];
  }
}
