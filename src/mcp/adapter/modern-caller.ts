// The caller of a request of 2026-07-28, across all messages that continue the request. Its questions are kept here
// until a result carries them to the client and a message brings the answers.

import { heldBytesOf } from '../../base/count-json-values.ts';
import { UsageError } from '../../base/errors.ts';
import type { InboundCall } from '../../wire/jsonrpc/inbound.ts';
import { methodsOfMcp } from '../methods.ts';
import { invalidParams } from '../protocol-errors.ts';
import type { ClientFacts, Params, Result } from '../service.ts';
import type { InputRequest, InputResponse } from '../types.ts';
import type { ClientObserver } from './client-observer.ts';
import type { Notifier } from './notifier.ts';
import { RequestCaller } from './request-caller.ts';

interface PendingInput {
  request: InputRequest;
  bytes: number;
  resolve: (response: InputResponse) => void;
  reject: (error: unknown) => void;
}

export class ModernCaller extends RequestCaller {
  readonly asksInResult = true;
  result: Promise<Result> | undefined;
  isDone = false;
  /** Called when there are questions. */
  onAsked: (() => void) | undefined;
  /** Called while the call is suspended, with the size of a further question or of its outcome. */
  onGrown: ((bytes: number) => void) | undefined;
  /** Data of the suspended call: its size, its method and parameters as text, its deadline and its key. */
  bytes = 0;
  identity = '';
  dueMs = 0;
  key = '';
  #questions: Map<string, PendingInput> | undefined;
  #questionBytes = 0;
  #keptBytes = 0;
  #asked = 0;
  #given: Params | undefined;

  /** Created on first use: most requests ask no questions. */
  get questions(): Map<string, PendingInput> {
    this.#questions ??= new Map();
    return this.#questions;
  }

  protected put(request: InputRequest, ownName?: string, signal?: AbortSignal): Promise<InputResponse> {
    const { questions } = this;
    const name = ownName ?? this.#nextName();
    if (this.isDone || this.signal.aborted) return Promise.reject(notGiven('it has ended already'));
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (questions.has(name)) return Promise.reject(sameName(name));
    return new Promise((resolve, reject) => {
      const given = ownName === undefined ? undefined : this.#takeGiven(name);
      if (given !== undefined) {
        mustAnswer(name, request, given);
        return resolve(given as InputResponse);
      }
      const question = { request, bytes: name.length + heldBytesOf(request), resolve, reject };
      questions.set(name, question);
      this.#questionBytes += question.bytes;
      signal?.addEventListener('abort', () => {
        if (questions.get(name) === question) this.withdraw(name);
        reject(signal.reason);
      });
      this.onGrown?.(question.bytes);
      // Questions of one turn are sent together.
      if (questions.size === 1) queueMicrotask(() => this.onAsked?.());
    });
  }

  keeps(bytes: number): void {
    this.#keptBytes = bytes;
  }

  /** The memory of the unanswered questions, and of data that the service keeps while they wait. */
  get heldBytes(): number {
    return this.#questionBytes + this.#keptBytes;
  }

  withdraw(name: string): void {
    this.#questionBytes -= this.questions.get(name)!.bytes;
    this.questions.delete(name);
  }

  /** Continues the call under the message that brought the answers. */
  continueUnder(
    inbound: InboundCall,
    client: ClientFacts,
    notifier: Notifier,
    observer: ClientObserver | undefined,
  ): void {
    inbound.addEventListener('abort', () => this.first.cancel(inbound.reason));
    this.inbound = inbound;
    this.client = client;
    this.notifier = notifier;
    this.lastProgress = Number.NEGATIVE_INFINITY;
    this.linkAgain(observer);
  }

  done(): void {
    this.isDone = true;
    // Questions are dropped rather than rejected: a handler that does not wait for an answer does not catch its failure either.
    this.#clear();
  }

  abandon(why: string): void {
    const reason = notGiven(why);
    this.first.cancel(reason);
    this.rejectQuestions(reason);
  }

  rejectQuestions(reason: unknown): void {
    for (const { reject } of this.questions.values()) reject(reason);
    this.#clear();
  }

  #clear(): void {
    this.#questions?.clear();
    this.#questionBytes = 0;
  }

  /**
   * The first request may bring answers: each is used for one question of its name. Generated names do not count,
   * because they do not identify the question.
   */
  #takeGiven(name: string): unknown {
    this.#given ??= { ...(this.first.request.params?.inputResponses as Params | undefined) };
    const given = Object.hasOwn(this.#given, name) ? this.#given[name] : undefined;
    delete this.#given[name];
    return given;
  }

  /** Generates a unique name for a question without one. */
  #nextName(): string {
    let name: string;
    do name = `input-${++this.#asked}`;
    while (this.questions.has(name));
    return name;
  }
}

function sameName(name: string): UsageError {
  return new UsageError('DUPLICATE_NAME', `A question named ${JSON.stringify(name)} is still unanswered`, {
    hint: 'Questions that are asked together need different names.',
  });
}

function notGiven(why: string): UsageError {
  return new UsageError('INPUT_NOT_GIVEN', `The call was abandoned: ${why}`);
}

export function mustAnswer(name: string, { method }: InputRequest, response: unknown): void {
  const member = methodsOfMcp.get(method)?.resultMember;
  if (typeof response === 'object' && response !== null && (member === undefined || member in response)) return;
  const members = member === undefined ? '' : `, with "${member}"`;
  throw invalidParams(`inputResponses.${name} must be the result of ${method}${members}`);
}
