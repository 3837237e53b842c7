// Sends answers to the other end, each alone or together with its batch. An answer that cannot be written is replaced
// by an error, so that every request is answered.

import { toError, UsageError } from '../../base/errors.ts';
import { SENT } from '../requests/pending-requests.ts';
import { BatchAnswers } from './batch-answer.ts';
import type { Channel } from './channel.ts';
import { errorAnswer } from './inbound.ts';
import type { JsonRpcRequest, JsonRpcResponse } from './message.ts';

export class Answers {
  /** Set when the connection has ended: answers are no longer sent. */
  closed = false;
  readonly #channel: Channel;
  readonly #report: (error: Error) => void;
  readonly #batches = new BatchAnswers();

  constructor(channel: Channel, report: (error: Error) => void) {
    this.#channel = channel;
    this.#report = report;
  }

  /** Registers the requests of a batch before any of them runs, with the answers to its invalid entries. */
  openBatch(requests: JsonRpcRequest[], faults: JsonRpcResponse[]): void {
    this.#batches.open(requests, faults, (answers) => this.#sendBatch(answers));
  }

  /** `answer` is undefined if the request was cancelled. */
  send(request: JsonRpcRequest, answer: JsonRpcResponse | undefined): void {
    if (this.closed || this.#batches.add(request, answer)) return;
    if (!answer) return this.#channel.withdrawn?.(request.id);
    const accepted = this.#sent(answer);
    if (accepted === SENT) return;
    accepted.catch((error: unknown) => {
      if (isUnwritable(error)) this.reportFailure(this.#sent(errorAnswer(request.id, error)));
      else this.#report(toError(error));
    });
  }

  /** Reports the failure of a message that was passed to the channel. */
  reportFailure(accepted: Promise<void>): void {
    if (accepted !== SENT) accepted.catch((error: unknown) => this.#report(toError(error)));
  }

  #sendBatch(answers: JsonRpcResponse[]): void {
    if (this.closed) return;
    const accepted = this.#batchSent(answers);
    if (accepted === SENT) return;
    accepted.catch((error: unknown) => {
      if (!isUnwritable(error)) this.#report(toError(error));
      else if (answers.length > 1)
        for (const answer of answers) this.#sendBatch([answer]); // the other answers may be writable
      else this.reportFailure(this.#batchSent([errorAnswer(answers[0]!.id, error)]));
    });
  }

  #batchSent(answers: JsonRpcResponse[]): Promise<void> {
    if (this.#channel.sendBatch) return this.#channel.sendBatch(answers);
    return Promise.all(answers.map((answer) => this.#sent(answer))).then(() => undefined);
  }

  /** Some transports throw where they should reject. */
  #sent(answer: JsonRpcResponse): Promise<void> {
    try {
      return this.#channel.send(answer);
    } catch (error) {
      return Promise.reject(error);
    }
  }
}

/** Whether the message cannot be serialised, or not in this framing. */
function isUnwritable(error: unknown): error is UsageError {
  return error instanceof UsageError && error.code !== 'TRANSPORT_CLOSED';
}
