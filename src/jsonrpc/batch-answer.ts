// JSON-RPC: the answers to a batch go back as one array, once the last of them is there. Answers that will never come
// (cancelled requests) are not waited for; a batch of notifications alone gets no answer.

import type { JsonRpcRequest, JsonRpcResponse } from './message.ts';

export class BatchAnswers {
  #openBatches = new Map<JsonRpcRequest, Batch>();

  /** Announces the requests of a batch before any of them runs. */
  open(requests: JsonRpcRequest[], faults: JsonRpcResponse[], send: (answers: JsonRpcResponse[]) => void): void {
    const batch: Batch = { missing: requests.length, answers: faults, send };
    for (const request of requests) this.#openBatches.set(request, batch);
    sendWhenComplete(batch);
  }

  /** Returns false when the request came alone and wants its answer alone. */
  add(request: JsonRpcRequest, answer: JsonRpcResponse | undefined): boolean {
    if (this.#openBatches.size === 0) return false;
    const batch = this.#openBatches.get(request);
    if (!batch) return false;
    this.#openBatches.delete(request);
    batch.missing--;
    if (answer) batch.answers.push(answer);
    sendWhenComplete(batch);
    return true;
  }
}

interface Batch {
  missing: number;
  answers: JsonRpcResponse[];
  send: (answers: JsonRpcResponse[]) => void;
}

function sendWhenComplete(batch: Batch): void {
  if (batch.missing === 0 && batch.answers.length > 0) batch.send(batch.answers);
}
