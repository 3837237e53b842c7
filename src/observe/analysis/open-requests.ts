// Pending requests of every process run and client, by id, progress token and HTTP request. Runs without pending requests are removed
// when the number of runs or the length of their names has doubled, so that a recording with a million server names stays small.

import { numberInText, type RequestId } from '../../wire/jsonrpc/message.ts';
import type { FlowDirection, FlowStamp } from '../flow/event.ts';
import type { Exchange } from './exchange.ts';

/** The requests of one process run in one direction. */
class OneWay {
  readonly byId = new Map<RequestId, Exchange>();
  readonly byToken = new Map<RequestId, Exchange>();
  readonly byHttp = new Map<number, Exchange>();

  add(exchange: Exchange): void {
    const { id, http, progressToken } = exchange;
    this.byId.set(id, exchange);
    if (http !== undefined) this.byHttp.set(http, exchange);
    if (progressToken !== undefined) this.byToken.set(progressToken, exchange);
  }

  /** Removes the request, unless a newer one has its id. */
  forget(exchange: Exchange): void {
    const { id, http, progressToken } = exchange;
    if (this.byId.get(id) === exchange) this.byId.delete(id);
    if (http !== undefined && this.byHttp.get(http) === exchange) this.byHttp.delete(http);
    if (progressToken !== undefined && this.byToken.get(progressToken) === exchange) this.byToken.delete(progressToken);
  }

  get isEmpty(): boolean {
    return this.byId.size + this.byToken.size + this.byHttp.size === 0;
  }
}

type Process = Pick<FlowStamp, 'server' | 'life'>;

interface Life {
  readonly ways: Map<FlowDirection, OneWay>;
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
      oneWay = new OneWay();
      life.ways.set(exchange.direction, oneWay);
    }
    oneWay.add(exchange);
  }

  forget(exchange: Exchange): void {
    this.#lives.get(keyOf(exchange))?.ways.get(exchange.direction)?.forget(exchange);
  }

  /** The id "1" also finds the request with id 1, unless a request with id "1" exists. */
  byId(process: Process, direction: FlowDirection, id: RequestId): Exchange | undefined {
    const byId = this.#lives.get(keyOf(process))?.ways.get(direction)?.byId;
    return byId?.get(id) ?? byId?.get(numberInText(id) ?? id);
  }

  byToken(process: Process, direction: FlowDirection, token: RequestId): Exchange | undefined {
    return this.#lives.get(keyOf(process))?.ways.get(direction)?.byToken.get(token);
  }

  /** The request to a server that this HTTP request carried. */
  byHttp(process: Process, exchange: number): Exchange | undefined {
    return this.#lives.get(keyOf(process))?.ways.get('toServer')?.byHttp.get(exchange);
  }

  *of(process: Process): Iterable<Exchange> {
    const life = this.#lives.get(keyOf(process));
    for (const oneWay of life?.ways.values() ?? []) yield* oneWay.byId.values();
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
