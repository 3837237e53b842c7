// JSON-RPC: the answers to a batch are sent as one array, once the last one is ready. Cancelled requests are left out,
// and a batch of notifications alone gets no answer. The size of the collected answers is limited: beyond the limit a
// batch is answered in several arrays.

import { jsonSize } from './json-size.ts';
import type { JsonRpcRequest, JsonRpcResponse } from './message.ts';

const MOST_HELD_CHARS = 64 * 1024 * 1024;

export class BatchAnswers {
  readonly #maxHeldChars: number;
  #openBatches = new Map<JsonRpcRequest, Batch>();
  #heldChars = 0;

  constructor(maxHeldChars = MOST_HELD_CHARS) {
    this.#maxHeldChars = maxHeldChars;
  }

  /** Registers the requests of a batch before any of them runs. */
  open(requests: JsonRpcRequest[], faults: JsonRpcResponse[], send: (answers: JsonRpcResponse[]) => void): void {
    const batch: Batch = { missing: requests.length, answers: [], chars: 0, send };
    for (const request of requests) this.#openBatches.set(request, batch);
    for (const fault of faults) this.#hold(batch, fault);
    this.#sendWhenComplete(batch);
  }

  /** Returns false if the request is not part of a batch: its answer is then sent alone. */
  add(request: JsonRpcRequest, answer: JsonRpcResponse | undefined): boolean {
    if (this.#openBatches.size === 0) return false;
    const batch = this.#openBatches.get(request);
    if (!batch) return false;
    this.#openBatches.delete(request);
    batch.missing--;
    if (answer) this.#hold(batch, answer);
    this.#sendWhenComplete(batch);
    return true;
  }

  #hold(batch: Batch, answer: JsonRpcResponse): void {
    const chars = jsonSize(answer, this.#maxHeldChars);
    batch.answers.push(answer);
    batch.chars += chars;
    this.#heldChars += chars;
  }

  #sendWhenComplete(batch: Batch): void {
    if (batch.missing > 0 && this.#heldChars <= this.#maxHeldChars) return;
    const { answers } = batch;
    this.#heldChars -= batch.chars;
    batch.answers = [];
    batch.chars = 0;
    if (answers.length > 0) batch.send(answers);
  }
}

interface Batch {
  missing: number;
  /** Answers that are ready and not sent yet. */
  answers: JsonRpcResponse[];
  chars: number;
  send: (answers: JsonRpcResponse[]) => void;
}
