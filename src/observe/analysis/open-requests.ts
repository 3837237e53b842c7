// Pending requests of every process run and client, by id, progress token and HTTP request. Runs without pending requests are removed
// when the number of runs or the length of their names has doubled, so that a recording with a million server names stays small.

import type { RequestId } from '../../wire/jsonrpc/message.ts';
import type { FlowDirection, FlowStamp } from '../flow/event.ts';
import { type Exchange, otherWay } from './exchange.ts';
import { RequestTable } from './request-table.ts';

type Process = Pick<FlowStamp, 'server' | 'life'>;

interface Life {
  readonly ways: Map<FlowDirection, RequestTable<Exchange>>;
  isOver: boolean;
}

const SMALLEST_SWEEP = 256;
const SMALLEST_SWEEP_CHARS = 1024 * 1024;

export class OpenRequests {
  readonly #lives = new Map<string, Life>();
  /** Total length of the keys. */
  #nameChars = 0;
  #sweepAt = SMALLEST_SWEEP;
  #sweepAtChars = SMALLEST_SWEEP_CHARS;

  get lives(): number {
    return this.#lives.size;
  }

  add(exchange: Exchange): void {
    const key = keyOf(exchange);
    let life = this.#lives.get(key);
    if (!life) {
      if (this.#lives.size >= this.#sweepAt || this.#nameChars >= this.#sweepAtChars) this.#sweep();
      life = { ways: new Map(), isOver: false };
      this.#lives.set(key, life);
      this.#nameChars += key.length;
    }
    let oneWay = life.ways.get(exchange.direction);
    if (!oneWay) {
      oneWay = new RequestTable();
      life.ways.set(exchange.direction, oneWay);
    }
    oneWay.add(exchange);
  }

  forget(exchange: Exchange): void {
    this.#lives.get(keyOf(exchange))?.ways.get(exchange.direction)?.forget(exchange);
  }

  byId(process: Process, direction: FlowDirection, id: RequestId): Exchange | undefined {
    return this.#requests(process, direction)?.withId(id);
  }

  byToken(process: Process, direction: FlowDirection, token: RequestId): Exchange | undefined {
    return this.#requests(process, direction)?.withToken(token);
  }

  /** The request to a server that this HTTP request carried. */
  byHttp(process: Process, exchange: number): Exchange | undefined {
    return this.#requests(process, 'toServer')?.withHttp(exchange);
  }

  /** The request that a message with this id in this direction answers. `http`: the HTTP request to a server that it answers. */
  answered(process: Process, direction: FlowDirection, id: RequestId, http: number | undefined): Exchange | undefined {
    return this.#requests(process, otherWay[direction])?.answered(id, http);
  }

  *of(process: Process): Iterable<Exchange> {
    const life = this.#lives.get(keyOf(process));
    for (const oneWay of life?.ways.values() ?? []) yield* oneWay.all();
  }

  over(process: Process): void {
    const life = this.#lives.get(keyOf(process));
    if (life) life.isOver = true;
  }

  /** Forgets a process run that has ended. A run may continue beside newer ones. */
  dropIfOver(process: Process): void {
    const key = keyOf(process);
    if (!this.#lives.get(key)?.isOver) return;
    this.#lives.delete(key);
    this.#nameChars -= key.length;
  }

  #requests(process: Process, direction: FlowDirection): RequestTable<Exchange> | undefined {
    return this.#lives.get(keyOf(process))?.ways.get(direction);
  }

  #sweep(): void {
    for (const [key, life] of this.#lives) {
      if ([...life.ways.values()].some(({ isEmpty }) => !isEmpty)) continue;
      this.#lives.delete(key);
      this.#nameChars -= key.length;
    }
    this.#sweepAt = Math.max(SMALLEST_SWEEP, this.#lives.size * 2);
    this.#sweepAtChars = Math.max(SMALLEST_SWEEP_CHARS, this.#nameChars * 2);
  }
}

function keyOf({ server, life }: Process): string {
  return `${life} ${server}`;
}
