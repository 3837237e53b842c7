// One process run or one connection in a recording, with the requests that can still be answered.

import { mayAsk } from '../../mcp/methods.ts';
import type { RequestId } from '../../wire/jsonrpc/message.ts';
import { keepNewest } from '../analysis/exchange.ts';
import { RequestTable } from '../analysis/request-table.ts';
import type { Happening, MessagePlace, RecordedExchange } from './recorded-exchange.ts';

/** One message. An exchange has several if its client answered questions of 2026-07-28. */
export interface SentRequest {
  readonly id: RequestId;
  readonly progressToken: RequestId | undefined;
  readonly http: number | undefined;
  /** The exchange of the request; absent for a handshake. */
  readonly exchange?: RecordedExchange;
  /** The method, if the request is a handshake. */
  readonly handshake?: string;
  /** The message of a handshake. */
  readonly place?: MessagePlace;
}

const MOST_QUESTIONS = 1000;

export class RecordedWire {
  /** The number of the wire among the wires of the server, from 0. */
  readonly number: number;
  readonly requests = new RequestTable<SentRequest>();
  /** Exchanges whose client is answering questions of 2026-07-28, by `requestState`. */
  readonly asked = new Map<string, RecordedExchange>();
  readonly #running: RecordedExchange[] = [];
  readonly #mayAsk: RecordedExchange[] = [];
  /** A signal was sent to the process: it did not end by itself. */
  isStopped = false;
  isOver = false;
  readonly #questions = new Map<RequestId, Happening>();

  constructor(number: number) {
    this.number = number;
  }

  asks(id: RequestId, question: Happening): void {
    this.#questions.set(id, question);
    keepNewest(this.#questions, MOST_QUESTIONS);
  }

  /** The question with this id, if it was not answered before. */
  answers(id: RequestId): Happening | undefined {
    const question = this.#questions.get(id);
    this.#questions.delete(id);
    return question;
  }

  begin(exchange: RecordedExchange): void {
    this.#running.push(exchange);
    if (mayAsk(exchange.method)) this.#mayAsk.push(exchange);
  }

  /** The exchange that a message without a reference probably belongs to. */
  get newest(): RecordedExchange | undefined {
    return newestOf(this.#running);
  }

  get newestThatMayAsk(): RecordedExchange | undefined {
    return newestOf(this.#mayAsk);
  }
}

/** Removes what has ended, so that each exchange is looked at once. */
function newestOf(stack: RecordedExchange[]): RecordedExchange | undefined {
  while (stack.length > 0 && stack.at(-1)!.outcome !== 'pending') stack.pop();
  return stack.at(-1);
}
